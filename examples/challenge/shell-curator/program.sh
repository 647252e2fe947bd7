#!/bin/sh
# Noisy counts of the six combinations of sex and age, asked of a curator.
# The write-up's line is handed over with the question.

set -f
say() { printf '%s\n' "$1"; }

say '{"protocol": "dp-audit/curator", "version": 1, "runs": "many"}'
read -r start || exit 1
epsilon=$(say "$start" | sed -n 's/.*"epsilon": *"\([0-9]*\)".*/\1/p')
rows=$(say "$start" | sed -n 's/.*"rows": *\([0-9]*\).*/\1/p')
[ -n "$epsilon" ] || { say '{"error": "epsilon is a whole number"}'; exit 1; }
say "{\"budget\": {\"epsilon\": \"$epsilon\"}, \"ledger\": null}"

question="{\"event\": \"measure\", \"query\": {\"kind\": \"cell-counts\", \"cells\": [0, 1, 2, 3, 4, 5]}, \
\"noise\": {\"law\": \"discrete-laplace\", \"scale\": \"3/$epsilon\"}, \"low\": 0, \"high\": $rows}"

while read -r message; do
    case $message in *'"end"'*) exit 0 ;; esac
    say "{\"ask\": $question, \"where\": {\"file\": \"writeup.md\", \"line\": 11}}"
    read -r message || exit 1
    case $message in
    *'"answer"'*) counts=${message#*[} ;;
    *'"stop"'*) say '{"stopped": true}'; continue ;;
    *) say '{"error": "the question was refused"}'; continue ;;
    esac
    say "{\"output\": {\"values\": [${counts%]*}]}}"
done
