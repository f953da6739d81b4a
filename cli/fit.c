/* SPDX-License-Identifier: Apache-2.0 */
/* What config a trace should have, and notes about what the user may not expect of platform, config and trace together. */
#include "cli-priv.h"
#include <ports/register_set.h>
#include <stdarg.h>
#include <string.h>
#include <warpwright/module.h>

static void note(CliSetup *s, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void note(CliSetup *s, const char *format, ...)
{
    va_list ap;
    if (s->told == NULL) {
        s->told = g_ptr_array_new_with_free_func(g_free);
    }
    va_start(ap, format);
    g_ptr_array_add(s->told, g_strdup_vprintf(format, ap));
    va_end(ap);
}

/* "qv100" of ".../configs/qv100.conf"; newly allocated. */
static char *config_name(const char *file)
{
    char *name = g_path_get_basename(file);
    if (g_str_has_suffix(name, ".conf")) {
        name[strlen(name) - strlen(".conf")] = '\0';
    }
    return name;
}

/* Names of the configs that say they are for traces of @p version: preferred ones first, then by name. */
static GPtrArray *configs_for(uint32_t version)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) files = cli_files("configs", ".conf");
    guint n_preferred = 0;
    for (guint i = 0; i < files->len; i++) {
        bool preferred;
        if (ww_conf_is_for(files->pdata[i], version, &preferred)) {
            g_ptr_array_insert(list, preferred ? (gint)n_preferred++ : -1,
                               config_name(files->pdata[i]));
        }
    }
    return list;
}

/* "rtx2060 and rtx2060s"; newly allocated. */
static char *joined(const GPtrArray *list, guint first)
{
    GString *out = g_string_new(NULL);
    for (guint i = first; i < list->len; i++) {
        g_string_append_printf(out, "%s%s",
                               i == first           ? ""
                               : i + 1 == list->len ? " and "
                                                    : ", ",
                               (const char *)list->pdata[i]);
    }
    return g_string_free(out, false);
}

void cli_fit_choose(CliSetup *s)
{
    if (s->configs != NULL || s->gpgpusim != NULL || s->platform_name != NULL || s->version == 0) {
        return;
    }
    g_autoptr(GPtrArray) list = configs_for(s->version);
    if (list->len == 0) {
        s->choice =
            g_strdup_printf("no config was given, and none is for the trace's sm_%u: the platform "
                            "runs on bare defaults; 'warpwright list configs' names them all",
                            s->version);
        return;
    }
    s->configs = g_new0(char *, 2);
    s->configs[0] = g_strdup(list->pdata[0]);
    g_autofree char *others = joined(list, 1);
    s->choice = g_strdup_printf("no config was given: %s is taken, as the trace is sm_%u%s%s%s",
                                s->configs[0], s->version, list->len > 1 ? " (so are " : "", others,
                                list->len > 1 ? "; -c chooses)" : "");
}

/* The machine is meant for other traces. It may do all the same: an instruction that it has no unit for is told when it comes. */
static void tell_misfit(CliSetup *s)
{
    uint32_t n;
    const char *by;
    const uint32_t *versions = ww_overrides_traces(s->overrides, &n, &by);
    g_autoptr(GString) own = g_string_new(NULL);
    for (uint32_t i = 0; i < n; i++) {
        if (versions[i] == s->version) {
            return;
        }
        g_string_append_printf(own, "%ssm_%u", i == 0 ? "" : ", ", versions[i]);
    }
    if (versions == NULL || s->version == 0) {
        return;
    }
    g_autofree char *name = config_name(by);
    g_autoptr(GPtrArray) list = configs_for(s->version);
    if (list->len != 0) {
        note(s, "this trace is sm_%u; %s is %s: try -c %s", s->version, name, own->str,
             (const char *)list->pdata[0]);
    } else {
        note(s, "this trace is sm_%u; %s is %s; no config is for sm_%u", s->version, name, own->str,
             s->version);
    }
}

/* Instructions that are put into the channels at port @p row of @p c, which is number @p number of its type. */
static uint64_t carried_by(WwComponent *c, const WwPortRow *row, int number)
{
    uint64_t bits = 0;
    bool instructions = row->role == WW_OUT && row->contract == &ww_contract_inst;
    uint32_t bound = instructions ? ww_component_bound(c, number) : 0;
    for (uint32_t k = 0; k < bound; k++) {
        bits |= c->type->carries(c, row, k);
    }
    return bits & ((1ull << WW_CARRIES_SCHEDULERS) - 1);
}

/* Categories that are on their way to a unit somewhere, by what the first component of each type says; looks no further when @p wanted are. */
static uint64_t units_of(const WwMachine *machine, uint64_t wanted)
{
    uint64_t bits = 0;
    for (uint32_t t = 0; t < ww_machine_n_types(machine) && (wanted & ~bits) != 0; t++) {
        WwComponent *c = ww_machine_first(machine, t);
        const WwPortRow *row;
        int number = 0;
        for (WW_ROWS(c->type->carries != NULL ? c->type->ports : NULL, row)) {
            bits |= carried_by(c, row, number++);
        }
    }
    return bits;
}

/* Specialised units that the trace's map sends opcodes to, and the machine does not have: nothing else does their work. */
static void tell_units(CliSetup *s)
{
    g_autoptr(GString) missing = g_string_new(NULL);
    uint32_t wanted = ww_opcode_map_units(s->map) & ~((1u << WW_OP_SPEC1) - 1), n = 0;
    uint64_t has = wanted != 0 ? units_of(s->machine, wanted) : 0;
    for (uint32_t op = WW_OP_SPEC1; op <= WW_OP_SPEC8 && has != 0; op++) {
        if ((wanted & ~has) >> op & 1u) {
            const char *role = ww_opcode_map_role(s->map, (WwOp)op);
            g_string_append_printf(missing, "%s%s%s%s%s", n++ != 0 ? ", " : "",
                                   ww_op_name((WwOp)op), role != NULL ? " (" : "",
                                   role != NULL ? role : "", role != NULL ? ")" : "");
        }
    }
    if (n != 0) {
        note(s,
             "opcodes of %s go to %s, which no SM of this machine has: the first of them ends the "
             "run",
             ww_opcode_map_name(s->map), missing->str);
    }
}

static void tell_clash(void *user, const WwClash *c)
{
    CliSetup *s = user;
    g_autofree char *file = g_path_get_basename(c->where.file);
    g_autofree char *by = config_name(c->by);
    note(s, "%s says %s = %s, %s says %s: %s is used; put it last with -c or -s", file, c->path,
         c->says, by, c->value, c->value);
}

/* The config that has the platform's name, else the one for the trace; newly allocated, or NULL. */
static char *config_for_platform(const CliSetup *s, const char *platform, bool *own)
{
    size_t length = strlen(platform) - (g_str_has_suffix(platform, ".plat") ? 5 : 0);
    g_autofree char *name = g_strndup(platform, length);
    g_autofree char *conf = g_strconcat(name, ".conf", NULL);
    for (const char *const *dir = cli_dirs("configs"); *dir != NULL; dir++) {
        g_autofree char *file = g_build_filename(*dir, conf, NULL);
        *own = g_file_test(file, G_FILE_TEST_EXISTS);
        if (*own) {
            return g_steal_pointer(&name);
        }
    }
    g_autoptr(GPtrArray) list = configs_for(s->version);
    return list->len != 0 ? g_strdup(list->pdata[0]) : NULL;
}

/* Has a composite of the platform parameters? One that `inspect --resolved` has written says all values itself. */
static bool has_defaults(const CliSetup *s)
{
    uint32_t n;
    const WwCompositeInfo *c = ww_platform_composites(s->platform, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (c[i].n_params != 0) {
            return true;
        }
    }
    return false;
}

/* ---- listings --------------------------------------------------------------------------------------------------- */

/* Is port @p name of @p c bound? */
static bool is_bound(const WwComponent *c, const char *name)
{
    const WwPortRow *row;
    int number = 0;
    for (WW_ROWS(c->type->ports, row)) {
        if (strcmp(row->name, name) == 0) {
            return ww_component_bound(c, number) != 0;
        }
        number++;
    }
    return false;
}

bool cli_fit_listings(CliSetup *s, const WwTrace *trace, bool given, GError **error)
{
    uint32_t n;
    bool uses = false; /* some part may go by control bits */
    ww_trace_listings(trace, &n);
    for (uint32_t t = 0; t < ww_machine_n_types(s->machine); t++) {
        const WwComponent *c = ww_machine_first(s->machine, t);
        bool bits = strcmp(c->type->name, "dependence.control_bits") == 0;
        uses |= g_strcmp0(c->type->family, "dependence") == 0 ||
                strstr(c->type->name, "control_bits") != NULL;
        if (!bits || n != 0) {
            continue;
        }
        g_autofree char *path = ww_path(c);
        if (!is_bound(c, "otherwise")) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "no listing is beside the trace, and %s goes by the control bits of "
                           "its instructions; expected --sass FILE (docs/traces.md)",
                           path);
        }
        note(s,
             "no listing is beside the trace, so control bits are not known: instructions wait as "
             "port 'otherwise' of %s says; --sass FILE names a listing",
             path);
        break; /* the others are alike */
    }
    if (given && !uses) {
        note(s, "no part of this machine goes by control bits: what --sass names changes nothing");
    }
    return true;
}

static bool is_used(const WwMachine *m, const WwModule *module)
{
    for (uint32_t i = 0; i < ww_machine_n_types(m); i++) {
        for (const WwType *const *type = module->types; *type != NULL; type++) {
            if (ww_machine_first(m, i)->type == *type) {
                return true;
            }
        }
    }
    return false;
}

/* Whoever loads a module and forgets to choose its type measures another one. */
static void tell_unused(CliSetup *s)
{
    for (guint i = 0; s->loaded != NULL && i < s->loaded->len; i++) {
        const WwModule *module = s->loaded->pdata[i];
        if (module->types != NULL && module->types[0] != NULL && !is_used(s->machine, module)) {
            note(s, "no part of this machine is of a type of module %s: %s%s", module->name,
                 module->types[0]->name, module->types[1] != NULL ? ", ..." : "");
        }
    }
}

/* Where the carve-out is adaptive, and what somebody asked for that does not hold then. */
typedef struct Carved {
    const char *adaptive; /* who says so; NULL: it is not */
    const char *asked, *text;
} Carved;

static void look_at_carve(void *user, const WwSettingInfo *setting)
{
    const char **adaptive = user;
    if (strcmp(setting->owner, "l1_carve") == 0 && setting->value->b) {
        *adaptive = setting->cause != NULL ? setting->cause->from : "";
    }
}

/* Who makes the carve-out adaptive, or NULL. */
static const char *carved_by(const WwElaboration *elaboration)
{
    const char *adaptive = NULL;
    ww_elaboration_each(elaboration, "carve.adaptive", look_at_carve, &adaptive);
    return adaptive;
}

typedef struct Ways {
    void (*found)(void *user, const WwSettingInfo *setting);
    void *user;
} Ways;

static void find_ways(void *user, const WwSettingInfo *setting)
{
    const Ways *w = user;
    if (strcmp(setting->owner, "cache.l1") == 0) {
        w->found(w->user, setting);
    }
}

void cli_fit_carved(const WwElaboration *elaboration,
                    void (*found)(void *user, const WwSettingInfo *setting), void *user)
{
    if (carved_by(elaboration) != NULL) {
        ww_elaboration_each(elaboration, "l1d.ways", find_ways, &(Ways){found, user});
    }
}

/* Does "FILE:12:5" stand in a config or platform that came with the command? */
static bool is_shipped(const char *from)
{
    static const char *const kinds[] = {"configs", "platforms"};
    g_autofree char *full = g_canonicalize_filename(from, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        const char *const *dirs = cli_dirs(kinds[i]);
        guint n = g_strv_length((char **)dirs); /* the last one is the command's own */
        size_t length = n != 0 ? strlen(dirs[n - 1]) : 0;
        if (length != 0 && strncmp(full, dirs[n - 1], length) == 0 && full[length] == '/') {
            return true;
        }
    }
    return false;
}

/* "FILE" of "FILE:12:5": how long it is. */
static size_t file_of(const char *from)
{
    size_t n = strlen(from);
    while (n != 0 && (g_ascii_isdigit(from[n - 1]) || from[n - 1] == ':')) {
        n--;
    }
    return n;
}

/* Who makes the carve-out adaptive in the same file has said both, as files of the reference do. */
static bool is_meant(const char *asked, const char *adaptive)
{
    size_t n = file_of(asked);
    return n == file_of(adaptive) && strncmp(asked, adaptive, n) == 0;
}

static void look_at_ways(void *user, const WwSettingInfo *setting)
{
    Carved *c = user;
    const char *from = setting->cause != NULL ? setting->cause->from : NULL;
    if (from == NULL) {
        return;
    }
    bool here = g_str_has_prefix(from, "-s "),
         file = !here && !g_str_has_prefix(from, "default of ");
    if (here || (file && !is_shipped(from) && !is_meant(from, c->adaptive))) {
        c->asked = from;
        c->text = here ? NULL : setting->cause->text;
    }
}

/* The ways of an L1D are set anew at each kernel's first CTA, from its largest size and what shared memory leaves. */
static void tell_carve(CliSetup *s)
{
    Carved c = {.adaptive = carved_by(s->elaboration)};
    cli_fit_carved(s->elaboration, look_at_ways, &c);
    if (c.asked != NULL) {
        g_autofree char *what = c.text != NULL
                                    ? g_strdup_printf("%s: l1d.ways = %s", c.asked, c.text)
                                    : g_strdup_printf("'%s'", c.asked);
        note(s,
             "%s holds until a kernel's first CTA only, which divides L1D and shared memory anew; "
             "-s gpu.carve.adaptive=false keeps it",
             what);
    }
}

/* ---- registers of nobody ---------------------------------------------------------------------------------------- */

/* Did the user say so, and not what came with the command? */
static bool is_users(const WwCause *cause)
{
    const char *from = cause != NULL ? cause->from : "default of ";
    return g_str_has_prefix(from, "-s ") ||
           (!g_str_has_prefix(from, "default of ") && !is_shipped(from));
}

static void look_at_width(void *user, const WwSettingInfo *setting)
{
    const WwCause **said = user;
    if (strcmp(setting->owner, ww_register_set_type.name) == 0 && is_users(setting->cause)) {
        *said = setting->cause;
    }
}

/* The user's word on the width of @p r, or of any set (NULL), or NULL. */
static const WwCause *width_by(const CliSetup *s, const WwRegisterSet *r)
{
    g_autofree char *path = r != NULL ? ww_path(r) : NULL,
                    *width = path != NULL ? g_strconcat(path, ".width", NULL) : NULL;
    const WwCause *said = NULL;
    ww_elaboration_each(s->elaboration, width != NULL ? width : "width", look_at_width, &said);
    return said;
}

/* A private register belongs to the scheduler of its number: what is wider than there are schedulers is as wide as that. */
static void tell_registers(CliSetup *s)
{
    g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    bool said_any =
        s->sealed && width_by(s, NULL) != NULL; /* before, nothing is known of schedulers */
    uint32_t n = said_any ? ww_machine_n_components(s->machine) : 0;
    for (uint32_t i = 0; i < n; i++) {
        WwComponent *c = ww_machine_component(s->machine, i);
        const WwRegisterSet *r = (const WwRegisterSet *)c;
        if (c->type != &ww_register_set_type || !r->private) {
            continue;
        }
        uint32_t schedulers = ww_carried_schedulers(&(WwPort){.peer = c});
        if (schedulers == 0 || r->width <= schedulers) {
            continue;
        }
        /* sets of one name, width and number of schedulers are alike, in whatever SM */
        char *key = g_strdup_printf("%s %u %u", c->name, r->width, schedulers);
        if (!g_hash_table_add(told, key)) {
            continue;
        }
        const WwCause *said = width_by(s, r);
        if (said != NULL) {
            bool here = g_str_has_prefix(said->from, "-s ");
            note(s,
                 "%s%s%s%s%s%s is as good as %u: the set is private, a register for each of %u "
                 "schedulers",
                 here ? "'" : "", said->from, here ? "'" : ": ", here ? "" : c->name,
                 here ? "" : ".width = ", here ? "" : said->text, schedulers, schedulers);
        }
    }
}

/* A value of -s: where has it won, and does something go by it? */
typedef struct Use {
    const char *from; /* "-s sm.scheduler=..." */
    bool won, used;
} Use;

static void look_at_use(void *user, const WwSettingInfo *setting)
{
    Use *u = user;
    if (setting->cause != NULL && strcmp(setting->cause->from, u->from) == 0) {
        u->won = true;
        u->used |= !setting->unused;
    }
}

/* What --sms says where a value of -s wins over it. */
static void look_at_sms(void *user, const WwSettingInfo *setting)
{
    CliSetup *s = user;
    for (const WwCause *c = setting->cause; c != NULL; c = c->over) {
        if (g_str_has_prefix(c->from, "--sms ") && c != setting->cause &&
            strcmp(c->text, setting->text) != 0) {
            note(s, "'%s' replaces %s = %s of --sms %s", setting->cause->from, setting->path,
                 c->text, s->sms_text);
            return;
        }
    }
}

/* A platform that fills a slot itself does not look at the parameter that says what fills it. */
static void tell_unread(CliSetup *s)
{
    for (char **v = s->values; v != NULL && *v != NULL; v++) {
        g_autofree char *from = g_strconcat("-s ", *v, NULL),
                        *key = g_strndup(*v, strcspn(*v, "="));
        Use u = {.from = from};
        ww_elaboration_each(s->elaboration, g_strstrip(key), look_at_use, &u);
        if (u.won && !u.used) {
            note(s, "'%s' changes nothing: the platform does not use this parameter", from);
        }
    }
}

void cli_fit_notes(CliSetup *s)
{
    for (guint i = 0; s->notes != NULL && i < s->notes->len; i++) {
        note(s, "%s", (const char *)s->notes->pdata[i]);
    }
    if (s->choice != NULL) {
        note(s, "%s", s->choice);
    }
    if (ww_overrides_not_validated(s->overrides) != NULL) {
        g_autofree char *name = config_name(ww_overrides_not_validated(s->overrides));
        note(s,
             "%s is not validated: its values are public figures, and no reference was compared "
             "with "
             "it (docs/gpus.md)",
             name);
    }
    if (s->replays && s->named && s->configs == NULL && s->gpgpusim == NULL) {
        g_autofree char *file = g_path_get_basename(s->platform_name);
        bool own = false;
        g_autofree char *better = config_for_platform(s, file, &own);
        if (own || has_defaults(s)) {
            note(s, "no config was given: %s runs on bare defaults%s%s", file,
                 better != NULL ? ": try -c " : "", better != NULL ? better : "");
        }
    }
    if (s->replays) {
        tell_misfit(s);
    }
    tell_unused(s);
    tell_carve(s);
    tell_registers(s);
    tell_unread(s);
    if (s->sms_text != NULL) {
        ww_elaboration_each(s->elaboration, NULL, look_at_sms, s);
    }
    if (s->map != NULL && (s->configs != NULL || s->gpgpusim != NULL)) {
        tell_units(s);
    }
    if (s->named && g_strcmp0(s->platform_name, ww_overrides_platform(s->overrides, NULL)) != 0) {
        ww_elaboration_clashes(s->elaboration, tell_clash, s);
    }
}

void cli_fit_tell(CliSetup *s)
{
    cli_fit_notes(s);
    for (guint i = 0; s->told != NULL && i < s->told->len; i++) {
        cli_say("note: ", s->told->pdata[i]);
    }
}
