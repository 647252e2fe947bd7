#!/usr/bin/env Rscript
# A geometric sanitizer, the counts of all cells with discrete Laplace noise: epsilon-DP.

input <- file("stdin", "r")
hear <- function() {
  line <- readLines(input, 1)
  if (length(line)) line else '{"end": true}'
}
say <- function(...) {
  cat(sprintf(...), "\n", sep = "")
  flush(stdout())
}
# Whole numbers are written in full: R would print 100000 as 1e+05.
whole <- function(numbers) paste(format(numbers, scientific = FALSE, trim = TRUE), collapse = ", ")

say('{"protocol": "dp-audit/curator", "version": 1, "runs": "many"}')
start <- hear()
# Texts that hold anything but letters, digits and . / - _ are not needed, and give way.
texts <- gregexpr('"([^"\\\\]|\\\\.)*"', start)
regmatches(start, texts) <- lapply(regmatches(start, texts), function(text)
  ifelse(grepl('^"[A-Za-z0-9./_-]*"$', text), text, '"?"'))
value <- function(key) {
  found <- regmatches(start, regexpr(sprintf('"%s": *[^],}]*', key), start))
  gsub('^"[^"]*": *|[" ]', "", found)
}
number <- function(key) suppressWarnings(as.numeric(value(key)))

attributes <- regmatches(
  start, gregexpr('"values": *\\[[^]]*\\][^}]*"missing": *(true|false)', start))[[1]]
values <- lengths(strsplit(sub("\\].*", "", attributes), ","))
cells <- prod(values + grepl("true$", attributes))
records <- number("records")  # NA where n is private
public <- !is.na(records)
most <- if (public) records else number("rows")
# With n public, the second of two counts is what the first leaves.
asked <- if (public && cells == 2) 0 else seq_len(cells) - 1
moved <- number("max_records")
if (value("neighbours") == "replace-one" && length(asked) > 1) moved <- 2 * moved

epsilon <- value("epsilon")
if (!grepl("^[0-9]+([./][0-9]+)?$", epsilon)) {
  say('{"error": "epsilon is a number such as 2, 0.5 or 1/3"}')
  quit(status = 1)
}
parts <- strsplit(epsilon, "[./]")[[1]]
decimals <- if (grepl(".", epsilon, fixed = TRUE)) nchar(parts[2]) else 0
below <- if (grepl("/", epsilon, fixed = TRUE)) as.numeric(parts[2]) else 10^decimals
above <- if (decimals) paste0(parts[1], parts[2]) else parts[1]
say('{"budget": {"epsilon": "%s"}, "ledger": null}', epsilon)

question <- sprintf(
  '{"event": "measure", "query": {"kind": "cell-counts", "cells": [%s]}, "noise": {"law":
  "discrete-laplace", "scale": "%s/%s"}, "low": 0, "high": %s}',
  whole(asked), whole(moved * below), above, whole(most))
question <- gsub("\n *", " ", question)  # one message a line

while (!grepl('"end"', message <- hear())) {
  counts <- most
  if (cells > 1 || !public) {
    say('{"ask": %s}', question)
    message <- hear()
    if (!grepl('"answer"', message)) {
      say(if (grepl('"stop"', message)) '{"stopped": true}' else '{"error": "refused"}')
      next
    }
    counts <- as.numeric(strsplit(gsub(".*\\[|\\].*", "", message), ",")[[1]])
    if (length(counts) < cells) counts <- c(counts, most - counts)
  }
  say('{"output": {"values": [%s]}}', whole(counts))
}
