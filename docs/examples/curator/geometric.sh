#!/bin/sh
# A geometric sanitizer, the counts of all cells with discrete Laplace noise: epsilon-DP.
# `read` takes no byte beyond its line and `printf` holds none back; many an awk does both.

set -f  # a text from the curator is no pattern of file names
say() { printf '%s\n' "$1"; }

say '{"protocol": "dp-audit/curator", "version": 1, "runs": "many"}'
read -r start || exit 1

# Cells, n (null where it is private), rows, a unit's records, the relation, and epsilon.
set -- $(say "$start" | awk '
    function value(key) {
        if (!match(plain, "\"" key "\": *[^],}]*")) return "null"
        found = substr(plain, RSTART, RLENGTH)
        sub(/^"[^"]*": */, "", found)
        gsub(/[" ]/, "", found)
        return found
    }
    {
        # Texts that hold anything but letters, digits and . / - _ are not needed, and give way.
        while (match($0, /"([^"\\]|\\.)*"/)) {
            text = substr($0, RSTART, RLENGTH)
            before = substr($0, 1, RSTART - 1)
            $0 = substr($0, RSTART + RLENGTH)
            plain = plain before (text ~ /^"[A-Za-z0-9.\/_-]*"$/ ? text : "\"?\"")
        }
        plain = plain $0
        cells = 1
        rest = plain
        while (match(rest, /"values": *\[[^]]*\][^}]*"missing": *(true|false)/)) {
            attribute = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            values = attribute
            sub(/\].*/, "", values)
            cells *= gsub(/,/, ",", values) + 1 + (attribute ~ /true$/)
        }
        print cells, value("records"), value("rows"), value("max_records"), value("neighbours"),
            value("epsilon")
    }')
cells=$1 records=$2 rows=$3 moved=$4 neighbours=$5 epsilon=$6

case $epsilon in
*[!0-9./]* | '') say '{"error": "epsilon is a number such as 2, 0.5 or 1/3"}'; exit 1 ;;
*/*) above=${epsilon%/*} below=${epsilon#*/} ;;
*.*) above=${epsilon%.*}${epsilon#*.} below=1$(printf '%s' "${epsilon#*.}" | tr 0-9 0) ;;
*) above=$epsilon below=1 ;;
esac
say "{\"budget\": {\"epsilon\": \"$epsilon\"}, \"ledger\": null}"

most=$records
[ "$records" = null ] && most=$rows
asked=0
# With n public, the second of two counts is what the first leaves.
if [ "$cells" -gt 2 ] || [ "$records" = null ]; then
    while [ "${last:=0}" -lt $((cells - 1)) ]; do
        last=$((last + 1)) asked="$asked, $last"
    done
    [ "$neighbours" = replace-one ] && [ "$cells" -gt 1 ] && moved=$((2 * moved))
fi
question="{\"event\": \"measure\", \"query\": {\"kind\": \"cell-counts\", \"cells\": [$asked]}, \
\"noise\": {\"law\": \"discrete-laplace\", \"scale\": \"$((moved * below))/$above\"}, \
\"low\": 0, \"high\": $most}"

while read -r message; do
    case $message in *'"end"'*) exit 0 ;; esac
    counts=$most
    if [ "$cells" -gt 1 ] || [ "$records" = null ]; then
        say "{\"ask\": $question}"
        read -r message || exit 1
        case $message in
        *'"answer"'*) counts=${message#*[} counts=${counts%]*} ;;
        *'"stop"'*) say '{"stopped": true}'; continue ;;
        *) say '{"error": "the question was refused"}'; continue ;;
        esac
        if [ "$cells" -eq 2 ] && [ "$records" != null ]; then
            counts="$counts, $((most - counts))"
        fi
    fi
    say "{\"output\": {\"values\": [$counts]}}"
done
