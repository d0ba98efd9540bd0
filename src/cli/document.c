/*
 * document man [VERB] | completion bash|zsh|fish: manual pages (scdoc) and shell completions from
 * the same option tables that parse and print the help. Run at build time, not installed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"

/* scdoc's special characters. */
static void put_escaped(const char *text)
{
    for (; *text != 0; text++) {
        if (strchr("*_\\#<>[]~`.", *text) != NULL) {
            (void)putchar('\\');
        }
        (void)putchar(*text);
    }
}

static void man_option(const struct option_spec *spec)
{
    struct zv_slice rest = zv_slice_of(spec->aliases);
    struct zv_slice alias;
    (void)printf("*--%s*", spec->name);
    if (spec->argument != NULL) {
        (void)printf(" ");
        put_escaped(spec->argument);
    }
    while (zv_slice_word(&rest, &alias)) {
        (void)printf(", *%s%.*s*", alias.length == 1 ? "-" : "--", (int)alias.length, alias.at);
    }
    (void)printf("\n\t");
    put_escaped(spec->help);
    (void)printf(".\n\n");
}

static void man_options(const struct option_spec *options, size_t count)
{
    const char *group = "";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(group, options[i].group) != 0) {
            group = options[i].group;
            (void)printf("## %s\n\n", group);
        }
        man_option(&options[i]);
    }
}

static void man_examples(const char *examples)
{
    struct zv_slice rest = zv_slice_of(examples);
    struct zv_slice line;
    (void)printf("# EXAMPLES\n\n```\n");
    while (zv_slice_line(&rest, &line)) {
        line = zv_slice_trim(line);
        (void)printf("%.*s\n", (int)line.length, line.at);
    }
    (void)printf("```\n\n");
}

static void man_exit_status(void)
{
    (void)printf(
        "# EXIT STATUS\n\n"
        "*0*\n\tDone, or yes.\n\n*1*\n\tA clean no.\n\n*2*\n\tNo usable GPU.\n\n"
        "*3*\n\tInput or output is bad; one line on standard error says what and where.\n\n"
        "*4*\n\tUnsupported, or an unknown version.\n\n"
        "*6*\n\tPartial, or cannot tell.\n\n*64*\n\tUsage.\n\n*70*\n\tOur bug.\n\n");
}

static void man_verb(const struct verb *verb)
{
    (void)printf("zirve-%s(1)\n\n# NAME\n\nzirve-%s - %s\n\n# SYNOPSIS\n\n*zirve %s* ", verb->name,
                 verb->name, verb->question, verb->name);
    put_escaped(verb->usage);
    (void)printf("\n\n# DESCRIPTION\n\n");
    put_escaped(verb->about);
    (void)printf("\n\n# OPTIONS\n\n");
    man_options(verb->options, verb->option_count);
    man_options(common_options, common_option_count);
    man_examples(verb->examples);
    man_exit_status();
    (void)printf("# SEE ALSO\n\n*zirve*(1)\n");
}

static void man_overview(void)
{
    (void)printf(
        "zirve(1)\n\n# NAME\n\nzirve - how much GPU memory a job needs, and how that is "
        "known\n\n# SYNOPSIS\n\n*zirve* _VERB_ \\[options\\] \\[_FILE_...\\]\n\n"
        "# DESCRIPTION\n\n"
        "Each verb answers one question. Every figure is bytes with the way it is known: "
        "calculated, measured, emulated, assumed or unknown. Totals are brackets: at least "
        "what is known, expected with assumptions, plus the unknowns, which are named and "
        "never counted as 0. No GPU is needed unless a verb measures one.\n\n# VERBS\n\n");
    for (size_t i = 0; i < verb_count; i++) {
        (void)printf("*zirve-%s*(1)\n\t%s\n\n", verbs[i]->name, verbs[i]->question);
    }
    (void)printf("# OPTIONS OF EVERY VERB\n\n");
    man_options(common_options, common_option_count);
    man_exit_status();
    (void)printf(
        "# FILES\n\n_$XDG\\_CONFIG\\_HOME/zirve/cards.tsv_, _card\\_readings.tsv_\n\tYour own "
        "cards and readings, in the form of the built-in tables.\n\n"
        "# ENVIRONMENT\n\n*NO\\_COLOR*\n\tNo colour, whatever the terminal.\n");
}

/* Every long spelling of a verb's options, separated by spaces. */
static void words(const struct option_spec *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct zv_slice rest = zv_slice_of(options[i].aliases);
        struct zv_slice alias;
        (void)printf(" --%s", options[i].name);
        while (zv_slice_word(&rest, &alias)) {
            (void)printf(" %s%.*s", alias.length == 1 ? "-" : "--", (int)alias.length, alias.at);
        }
    }
}

/* Options of which a shell can complete the value; the rest are numbers, names or files. */
static const struct {
    const char *option;
    const char *values;
} completed[] = {
    {"task", "serve train"},
    {"runtime", "transformers vllm sglang llama.cpp ik_llama.cpp none"},
    {"search", "context concurrency micro-batch seq-length"},
    {"dtype", "auto bf16 f16 f32"},
    {"quantization", "nf4 nf4-dq int8 gptq awq fp8 mxfp4 nvfp4 q8_0"},
    {"attention", "flash sdpa eager on off"},
    {"zero", "1 2 3"},
    {"checkpointing", "none selective full"},
    {"policy", "caching cuda-malloc-async direct"},
    {"unit", "both B MB GB MiB GiB"},
    {"color", "auto always never"},
};

static const char *values_of(const char *option)
{
    for (size_t i = 0; i < sizeof completed / sizeof completed[0]; i++) {
        if (strcmp(completed[i].option, option) == 0) {
            return completed[i].values;
        }
    }
    return NULL;
}

/* "--card|--gpu": the spellings of an option, whichever verb has it first. */
static void spellings(const char *option)
{
    const struct option_spec *spec = NULL;
    for (size_t i = 0; spec == NULL && i < verb_count; i++) {
        spec = option_find(verbs[i], zv_slice_of(option));
    }
    struct zv_slice rest = zv_slice_of(spec != NULL ? spec->aliases : NULL);
    struct zv_slice alias;
    (void)printf("    --%s", option);
    while (zv_slice_word(&rest, &alias)) {
        (void)printf("|%s%.*s", alias.length == 1 ? "-" : "--", (int)alias.length, alias.at);
    }
}

/* Names of cards come from the command itself, with the user's; '-' stands for a space in them. */
static void bash_values(void)
{
    (void)printf("    local prev=${COMP_WORDS[COMP_CWORD-1]} values=\n"
                 "    [ \"$cur\" = = ] && cur=\n"
                 "    [ \"$prev\" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                 "    case $prev in\n");
    for (size_t i = 0; i < sizeof completed / sizeof completed[0]; i++) {
        spellings(completed[i].option);
        (void)printf(") values='%s' ;;\n", completed[i].values);
    }
    spellings("card");
    (void)printf("|show)\n        values=$(\"${COMP_WORDS[0]}\" cards --json 2>/dev/null |\n"
                 "            sed -n 's/^      \"name\": \"\\([^(]*[^ (]\\).*\",$/\\1/p' | "
                 "tr ' ' -) ;;\n"
                 "    esac\n"
                 "    if [ -n \"$values\" ]; then\n"
                 "        COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
                 "        return\n    fi\n");
}

static void completion_bash(void)
{
    (void)printf("_zirve() {\n    local cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    for (size_t i = 0; i < verb_count; i++) {
        (void)printf("%s ", verbs[i]->name);
    }
    (void)printf("help --help --version\" -- \"$cur\"))\n        return\n    fi\n");
    bash_values();
    (void)printf("    case $verb in\n");
    for (size_t i = 0; i < verb_count; i++) {
        (void)printf("    %s) words='%s", verbs[i]->name,
                     verbs[i]->actions != NULL ? verbs[i]->actions : "");
        words(verbs[i]->options, verbs[i]->option_count);
        words(common_options, common_option_count);
        (void)printf("' ;;\n");
    }
    (void)printf("    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                 "    case $cur in -*) ;; *) COMPREPLY+=($(compgen -f -- \"$cur\")) ;; esac\n}\n"
                 "complete -o filenames -F _zirve zirve\n");
}

/* A help text between single quotes of a shell. */
static void quoted(const char *text, const char *special)
{
    for (; *text != 0; text++) {
        if (*text == '\'') {
            (void)printf("'\\''");
        } else {
            if (strchr(special, *text) != NULL) {
                (void)putchar('\\');
            }
            (void)putchar(*text);
        }
    }
}

static void zsh_options(const struct option_spec *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        (void)printf(" \\\n        '%s--%s%s[", options[i].kind == OPTION_LIST ? "*" : "",
                     options[i].name, options[i].argument != NULL ? "=" : "");
        quoted(options[i].help, "[]:\\");
        (void)printf("]");
        if (options[i].argument != NULL) {
            (void)printf(":");
            quoted(options[i].argument, "[]:\\");
            const char *const values = values_of(options[i].name);
            if (values != NULL) {
                (void)printf(":(%s)", values);
            } else {
                (void)printf(":_files");
            }
        }
        (void)printf("'");
    }
}

static void completion_zsh(void)
{
    (void)printf("#compdef zirve\nlocal -a verbs\nverbs=(\n");
    for (size_t i = 0; i < verb_count; i++) {
        (void)printf("    '%s:", verbs[i]->name);
        quoted(verbs[i]->question, ":\\");
        (void)printf("'\n");
    }
    (void)printf(")\nif (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\nfi\n"
                 "local verb=$words[2]\nshift words\n(( CURRENT-- ))\ncase $verb in\n");
    for (size_t i = 0; i < verb_count; i++) {
        (void)printf("%s)\n    _arguments -s", verbs[i]->name);
        zsh_options(verbs[i]->options, verbs[i]->option_count);
        zsh_options(common_options, common_option_count);
        (void)printf(" \\\n        '*:file:_files' ;;\n");
    }
    (void)printf("esac\n");
}

static void fish_options(const char *verb, const struct option_spec *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        (void)printf("complete -c zirve -n '__fish_seen_subcommand_from %s' -l %s%s -d '", verb,
                     options[i].name, options[i].argument != NULL ? " -r" : "");
        quoted(options[i].help, "\\");
        const char *const values = values_of(options[i].name);
        (void)printf("%s", values != NULL ? "' -x -a '" : "'");
        (void)printf("%s%s\n", values != NULL ? values : "", values != NULL ? "'" : "");
    }
}

static void completion_fish(void)
{
    for (size_t i = 0; i < verb_count; i++) {
        (void)printf("complete -c zirve -n __fish_use_subcommand -a %s -d '", verbs[i]->name);
        quoted(verbs[i]->question, "\\");
        (void)printf("'\n");
        fish_options(verbs[i]->name, verbs[i]->options, verbs[i]->option_count);
        fish_options(verbs[i]->name, common_options, common_option_count);
    }
}

static int usage(void)
{
    (void)fprintf(stderr, "usage: document man [VERB] | completion bash|zsh|fish | verbs\n");
    return 64;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "verbs") == 0) {
        for (size_t i = 0; i < verb_count; i++) {
            (void)printf("%s\n", verbs[i]->name);
        }
        return EXIT_SUCCESS;
    }
    if (argc == 2 && strcmp(argv[1], "man") == 0) {
        man_overview();
        return EXIT_SUCCESS;
    }
    if (argc == 3 && strcmp(argv[1], "man") == 0) {
        for (size_t i = 0; i < verb_count; i++) {
            if (strcmp(verbs[i]->name, argv[2]) == 0) {
                man_verb(verbs[i]);
                return EXIT_SUCCESS;
            }
        }
        return usage();
    }
    if (argc == 3 && strcmp(argv[1], "completion") == 0) {
        static const struct {
            const char *shell;
            void (*write)(void);
        } shells[] = {
            {"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
        for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
            if (strcmp(shells[i].shell, argv[2]) == 0) {
                shells[i].write();
                return EXIT_SUCCESS;
            }
        }
    }
    return usage();
}
