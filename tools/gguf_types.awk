# data/gguf_types.tsv -> the rows of the table in src/format/gguf_types.c.
BEGIN { FS = "\t" }
/^#/ || NF == 0 { next }
!named { named = 1; next }
{
    for (i = 3; i <= 6; i++) if ($i == "-") $i = 0
    if ($1 + 0 <= last && NR > 1 && seen) { print "gguf_types.tsv:" NR ": ids must rise" > "/dev/stderr"; exit 1 }
    last = $1 + 0; seen = 1
    printf "{%s, \"%s\", %s, %s, %s, %s},\n", $1, $2, $3, $4, $5, $6
}
