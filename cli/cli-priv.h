/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the files of the command share: exit statuses and errors, where data lies, and a machine built from options.
 */
#pragma once

#include <platforms/platform.h>
#include <stdio.h>
#include <trace/opcode.h>
#include <trace/trace.h>

/** Exit statuses. */
enum {
    CLI_DONE = 0,
    CLI_STOPPED =
        1, /**< The model stopped before its end (hang, limit, signal); `compare` found differences that it was told to look for. */
    CLI_USAGE = 2, /**< Bad usage or input. */
};

/* ---- subcommands: each gets argv[0] = its name and is the exit status ------------------------------------------- */

int cli_run(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_trace(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_db(int argc, char **argv);
int cli_table(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_correlate(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_conformance(int argc, char **argv);
int cli_new(int argc, char **argv);
int cli_view(int argc, char **argv);
int cli_sweep(int argc, char **argv);

/* ---- the process (process.c) ------------------------------------------------------------------------------------ */

/** Before all else: streams that are closed, signals; and the words of the command line. */
void cli_process_begin(int argc, char **argv);
/**
 * After all else: has everything reached stdout? The exit status, @p status if so. A reader that has gone away (`| head`) has had
 * what it wanted: that is no failure.
 */
int cli_process_end(int status);
/** Flushes stdout: does nobody read it any more, or can it not be written? */
bool cli_process_unheard(void);
/** The words of the command line, as the user wrote them, NULL-terminated; the program's own is "warpwright". */
const char *const *cli_process_words(void);

/* ---- the end of memory (exhausted.c) ------------------------------------------------------------------------------ */

/** From here on a process that runs out of memory or file descriptors ends with one line and CLI_USAGE. */
void cli_exhausted_begin(void);

/* ---- what a stream can show (terminal.c) -------------------------------------------------------------------------- */

typedef enum CliPaint {
    CLI_PLAIN, /**< The end of any other. */
    CLI_BOLD,
    CLI_BAR,
    CLI_ERROR,
    CLI_WARNING,
    CLI_NOTE,
    CLI_PAINTS,
} CliPaint;

/** What is written to @p out goes to stdout later: it has its columns and colours. NULL: nothing does. */
void cli_stand_for_stdout(FILE *out);
bool cli_is_terminal(FILE *out);
/** Is @p out a terminal that shows colours (TERM), for a user who wants them (NO_COLOR)? */
bool cli_colours(FILE *out);
/** What begins (or, CLI_PLAIN, ends) text of this kind on @p out; "" where there are no colours. */
const char *cli_paint(FILE *out, CliPaint paint);
/** A bar of @p share (0 to 1) of @p width columns for @p out, newly allocated; "" when it is shorter than half a column. */
char *cli_bar(FILE *out, double share, double width);
/** Columns of the terminal @p out; 80 if it is none. */
uint32_t cli_width(FILE *out);

/* ---- options and errors (options.c) ----------------------------------------------------------------------------- */

/**
 * Writes "warpwright: KIND TEXT" to stderr, @p kind "", "note: " or "warning: ". It is one line whatever names of files or words
 * @p text holds: control characters are written as \x1b. Only a line that begins with a blank, an excerpt of a file, stays below.
 */
void cli_say(const char *kind, const char *text);
/** Writes "warpwright: MESSAGE" to stderr (cli_say()), frees @p error; is CLI_USAGE. */
int cli_fail(GError *error);
/** The same for a message of ours. */
int cli_fail_text(const char *format, ...) G_GNUC_PRINTF(1, 2);
/**
 * A row of an option table that begins a group: what follows, up to the next one, is listed under @p text. Groups of the same text in
 * several tables of a command are one. An option needs nothing but its row: --help, manual page and completion are made of the rows. Its
 * `arg_description` says what may be completed (the kinds are in complete.c), "a|b|c" the words that it takes.
 */
#define CLI_HEADING(text)                                                                          \
    {                                                                                              \
        "", 0, 0, G_OPTION_ARG_NONE, NULL, text, NULL                                              \
    }
/** Titles of groups that more than one command or table has. */
#define CLI_WHAT_RUNS "What runs"
#define CLI_WHAT_COMES_OUT "Output"
#define CLI_WHAT_IS_LOOKED_AT "Observation"
#define CLI_WHEN_IT_ENDS "Limits"
#define CLI_HOST "Host"
/** "a|b|c" of names that cli_choice() takes: the `arg_description` of such an option. Stays. */
const char *cli_choices(const char *const *names);
/**
 * Parses the options of subcommand @p argv[0] ("run"), which takes arguments @p usage ("TRACE"). Handles --help itself (and
 * exits). What is left are the arguments: argv[1] to argv[argc - 1]. An unknown option is reported with the one that was
 * probably meant.
 */
bool cli_parse(int *argc, char ***argv, const char *usage, const char *summary,
               const char *description, const GOptionEntry *const *tables, GError **error);
/** The index of @p word in @p names (NULL-terminated), or -1 with an error that names them all. */
int cli_choice(const char *what, const char *word, const char *const *names, GError **error);
/** A whole number, decimal; the error says which option. */
bool cli_number(const char *what, const char *word, uint64_t *out, GError **error);
/** One from @p least to @p most. */
bool cli_number_in(const char *what, const char *word, uint64_t least, uint64_t most, uint64_t *out,
                   GError **error);

/** An option for which only some actions of a command ("import" of `warpwright db`) have a use. */
typedef struct CliUse {
    const char *option; /**< "--kernels"; NULL ends a list. */
    const char *given;  /**< As it was given, "" where that has no value; NULL: it was not. */
    unsigned with;      /**< Bit i: it is of use with action i. */
} CliUse;
/** False with @p error if one was given that action @p what has no use for. */
bool cli_uses(const char *command, const char *const *actions, int what, const CliUse *uses,
              GError **error);
/** For CliUse.given: of a switch, of an option with values. */
static inline const char *cli_given(gboolean on)
{
    return on ? "" : NULL;
}
static inline const char *cli_given_first(char *const *values)
{
    return values != NULL ? values[0] : NULL;
}

/** What `--sass` @p given (NULL: it was not) means for WwTraceOptions.listings, into *@p listings. */
bool cli_listings(char *const *given, const char *const **listings, GError **error);

/* ---- where data lies (paths.c) ---------------------------------------------------------------------------------- */

/**
 * Folders that hold @p kind ("platforms", "configs", "modules"), NULL-terminated, most important first: those of
 * WARPWRIGHT_PATH, then the ones that came with the command. Owned by paths.c.
 */
const char *const *cli_dirs(const char *kind);
/** Folders that hold opcode maps: configs/opcodes and opcodes of those of WARPWRIGHT_PATH, then configs/opcodes of what came with the command. */
const char *const *cli_opcode_dirs(void);
/** Files with @p suffix in the folders for @p kind, by name in each; a name in a folder that comes first hides a later one. */
GPtrArray *cli_files(const char *kind, const char *suffix);
/** Is there a file @p name with @p suffix in the folders for @p kind? */
bool cli_is_file(const char *kind, const char *suffix, const char *name);
/** The file with @p suffix in @p folders whose name without it is nearest to @p name: that, newly allocated, or NULL when none is near. */
char *cli_closest_file(const char *const *folders, const char *suffix, const char *name);

/* ---- a machine from options (setup.c) --------------------------------------------------------------------------- */

/** Zero-initialise; cli_setup_clear() at the end. */
typedef struct CliSetup {
    /* options */
    char **configs, **values, **modules, **gpgpusim;
    char *platform_name;
    char *sms_text;  /**< That many SMs over ideal memory; NULL: as the values say. */
    uint64_t sms;    /**< What it says, after cli_setup_values(). */
    gboolean strict; /**< Options and opcodes that are not known are errors. */
    gboolean
        ignore_unknown; /**< Options of option files that the reference does not have are left out. */
    gboolean verbose;   /**< Notes say everything. */
    uint32_t version;   /**< Binary version of the trace that shall run; 0: none, or not known. */
    const WwOpcodeMap *map; /**< Of the trace that shall run; NULL: not known. */
    bool replays;           /**< A trace was given. */
    bool named;             /**< The user chose the platform. */
    bool valued;            /**< cli_setup_values() has been called. */
    bool sealed;            /**< The machine is. */
    char *choice;           /**< What to say of a config that was chosen for the trace, or NULL. */
    GPtrArray *notes;       /**< Texts of the importer. */
    GPtrArray *told; /**< All that is noted of the machine (cli_fit_notes()), char *; or NULL. */
    GPtrArray *module_files; /**< Where the modules are, char *, */
    GPtrArray *loaded;       /**< and what they are, const WwModule *. */
    GPtrArray *option_files; /**< Files of the reference's options that were read, char *. */
    /* what was made of them */
    WwRegistry *registry;
    WwOverrides *overrides;
    WwPlatform *platform;
    WwElaboration *elaboration;
    WwMachine *machine;
} CliSetup;

/** Option rows that fill @p setup; valid until the next call. */
const GOptionEntry *cli_setup_options(CliSetup *setup);
/** The registry, with built-in types and the modules asked for. */
bool cli_setup_registry(CliSetup *setup, GError **error);
/** The values of configs, option files and -s. Without a config: the one for traces of the version. cli_setup_machine() does it where it was not done. */
bool cli_setup_values(CliSetup *setup, GError **error);
/** Registry, values, platform: no machine yet. */
bool cli_setup_platform(CliSetup *setup, GError **error);
/** Registry, platform, values, machine (not sealed). */
bool cli_setup_machine(CliSetup *setup, GError **error);
/* ---- what the user may not expect (fit.c) ------------------------------------------------------------------------- */

/** Chooses a config for the trace when there is none. */
void cli_fit_choose(CliSetup *setup);
/**
 * What is strange of a machine that was built and can run, into `told`: a config that was chosen for the trace, a machine
 * that is meant for other traces, a platform on bare defaults, a value of the platform that a config replaced.
 */
void cli_fit_notes(CliSetup *setup);
/** The same, a line each on stderr. */
void cli_fit_tell(CliSetup *setup);
/** The ways of each L1D that the first CTA of a kernel sets anew, whatever they are set to: where the carve-out is adaptive. */
void cli_fit_carved(const WwElaboration *elaboration,
                    void (*found)(void *user, const WwSettingInfo *setting), void *user);
/** @p error of a machine that could not be made: says so where a config is for another platform than the one that was given (fit_platform.c). */
void cli_fit_platform(const CliSetup *setup, GError *error);
/**
 * Has @p trace the listings that the built machine goes by? A machine with control bits and nothing else to go by needs one; what else may be a surprise is
 * noted. @p given: the user named some (--sass).
 */
bool cli_fit_listings(CliSetup *setup, const WwTrace *trace, bool given, GError **error);

/**
 * The REQUIRES port of contract `trace_source` that the machine leaves unbound; @p row its number. NULL with an error that
 * says what is missing.
 */
WwComponent *cli_trace_port(WwMachine *machine, int *row, GError **error);
/** Seals a machine that shall only be looked at (look.c): its order and its clocks are known then. */
bool cli_setup_seal(CliSetup *setup, GError **error);
/* ww_machine_seal(); an error says which statement of the platform led there, where that is known. */
bool cli_seal(CliSetup *setup, GError **error);
/* Is this process one that `conformance` has begun, to compare with? Then it only says what each type leaves. */
bool cli_is_elsewhere(void);
int cli_run_elsewhere(const WwRegistry *registry, const GPtrArray *types, uint32_t seed);
/* The check `same-seed` looks at what other processes do, too; false: no more. */
void cli_look_elsewhere(bool begin);
void cli_setup_clear(CliSetup *setup);

/** Does each pattern of --stats and, with @p intervals, of --interval-stats choose something of the machine (run_figures.c)? Lists may be NULL. */
bool cli_try_figures(const WwMachine *machine, char *const *stats, bool intervals,
                     char *const *interval_stats, GError **error);

/* ---- small texts (text.c) --------------------------------------------------------------------------------------- */

/** How many bytes the control character at @p p has: 1, 2 (U+0080 to U+009F in UTF-8); 0: it is none. */
uint32_t cli_control(const char *p);
/** Appends the next character of @p *p, and goes on: a control character as \n, \t or \x1b, so that it is no order to a terminal. */
void cli_add_visible(GString *out, const char **p);
/** @p text, whatever it holds, as a part of a line; newly allocated. */
char *cli_visible(const char *text);
/** 1234567 as "1,234,567"; newly allocated. */
char *cli_grouped(uint64_t n);
/** cli_visible(), cut to @p width characters, the last three dots when it was longer. */
char *cli_cut(const char *text, uint32_t width);
/** A component's path with every index replaced by [*]: alike parts have alike patterns; newly allocated. */
char *cli_pattern(const void *component);
