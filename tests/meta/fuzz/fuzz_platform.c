/* SPDX-License-Identifier: Apache-2.0 */
/* Platform texts, with `.conf` text after a line "---": elaborated, written resolved, read again. */
#include <platforms/platform.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Part {
    WwComponent base;
    uint32_t width;
    WwList ways;
    const char *label;
    WwPort in[8];
    uint32_t n_in;
    WwPort out, policy;
    WwProvided clients;
} Part;

typedef struct Pipe {
    WwChannel ch;
    uint32_t depth;
} Pipe;

static WwRest rest(void *self)
{
    return WW_SLEEP;
}

static const WwContract tokens = {
    .name = "tokens", .doc = "Tokens", .version = 1, .kind = WW_CHANNEL, .channel = "pipe"};
static const WwContract policy = {
    .name = "policy", .doc = "A policy", .version = 1, .kind = WW_INTERFACE};
static const int table;

static const WwType part_type = {
    .abi = WW_ABI_VERSION,
    .name = "part",
    .doc = "Has everything",
    .family = "part",
    .size = sizeof(Part),
    .params =
        (const WwParamRow[]){
            WW_UINT(Part, width, "bytes", "4", 1, 4096, "A width"),
            WW_LIST(Part, ways, "", "[1]", 0, 0, "A list"),
            WW_STRING(Part, label, "x", "A label"),
            {0},
        },
    .ports =
        (const WwPortRow[]){
            WW_PORT_ARRAY(Part, in, WW_IN, &tokens, 0, NULL, "Tokens in"),
            WW_PORT_OUT(Part, out, &tokens, 0, "Tokens out"),
            WW_PORT_REQUIRES(Part, policy, &policy, 0, NULL, "The policy"),
            WW_PORT_PROVIDES(Part, clients, &policy, &table, "A policy"),
            {0},
        },
    .entries = (const WwEntryRow[]){{"tick", "core", rest, "Nothing"}, {0}},
};

static const WwType pipe_type = {
    .abi = WW_ABI_VERSION,
    .name = "pipe",
    .doc = "A channel",
    .family = "std",
    .flags = WW_TYPE_CHANNEL,
    .size = sizeof(Pipe),
    .params = (const WwParamRow[]){WW_UINT(Pipe, depth, "", "1", 1, 64, "Tokens"), {0}},
};

static WwRegistry *registry;

static void check(bool holds, const char *what, const char *text)
{
    if (!holds) {
        fprintf(stderr, "%s:\n%s\n", what, text);
        abort();
    }
}

/** What was elaborated can be written, and read again with as many components. */
static void write_again(const WwElaboration *e, const WwMachine *machine)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool ok = ww_platform_write_resolved(e, out, NULL);
    fclose(out);
    g_autoptr(GError) error = NULL;
    g_autoptr(WwPlatform) platform =
        ww_platform_load_text(registry, text, size, "resolved", NULL, &error);
    check(ok && platform != NULL, error != NULL ? error->message : "not written", text);
    g_autoptr(WwMachine) again = ww_platform_elaborate(platform, NULL, NULL, &error);
    check(again != NULL, error != NULL ? error->message : "no machine", text);
    check(ww_machine_n_components(again) == ww_machine_n_components(machine), "another machine",
          text);
    free(text);
}

static void elaborate(WwPlatform *platform, WwOverrides *overrides)
{
    g_autoptr(WwElaboration) e = NULL;
    g_autoptr(GError) error = NULL;
    ww_platform_set_limit(platform, 2000);
    g_autoptr(WwMachine) machine = ww_platform_elaborate(platform, overrides, &e, &error);
    check((machine == NULL) == (error != NULL), "an error and a machine, or neither", "");
    if (machine != NULL) {
        g_free(ww_elaboration_why(e, "width", NULL));
        write_again(e, machine);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (registry == NULL) {
        static const WwType *const types[] = {&part_type, &pipe_type, NULL};
        registry = ww_registry_new();
        check(ww_registry_add_all(registry, types, "fuzz", NULL), "types", "");
    }
    if (size > 20000) {
        return 0;
    }
    const char *text = (const char *)data;
    const char *mark = memmem(data, size, "\n---\n", 5);
    size_t length = mark != NULL ? (size_t)(mark - text) : size;
    g_autoptr(GError) error = NULL;
    g_autoptr(WwOverrides) overrides = ww_overrides_new();
    if (mark != NULL && memmem(mark, size - length, "include", 7) == NULL &&
        !ww_overrides_add_conf(overrides, mark + 5, size - length - 5, "conf", NULL, &error)) {
        check(error != NULL, "no error", mark);
        return 0;
    }
    if (memmem(data, length, "import", 6) != NULL) {
        return 0; /* of no file but this */
    }
    g_autoptr(WwPlatform) platform =
        ww_platform_load_text(registry, text, length, "plat", NULL, &error);
    check((platform == NULL) == (error != NULL), "an error and a platform, or neither", "");
    if (platform != NULL) {
        elaborate(platform, overrides);
    }
    return 0;
}
