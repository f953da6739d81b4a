/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

static WwRegistry *registry;

const WwRegistry *test_registry(void)
{
    return registry;
}

char *test_machine(const char *before, const char *body)
{
    return g_strdup_printf("%s\n"
                           "machine m {\n"
                           "    domain core = 1000MHz; domain icnt = 500MHz;\n"
                           "    phases { core : core; net : icnt; }\n"
                           "%s\n"
                           "}\n",
                           before, body);
}

WwMachine *test_build(const char *text, const char *values, WwElaboration **elaboration,
                      GError **error)
{
    g_autoptr(WwPlatform) platform =
        ww_platform_load_text(registry, text, strlen(text), "test.plat", NULL, error);
    if (platform == NULL) {
        return NULL;
    }
    g_autoptr(WwOverrides) overrides = ww_overrides_new();
    g_auto(GStrv) lines = g_strsplit(values != NULL ? values : "", "\n", -1);
    for (char **line = lines; *line != NULL; line++) {
        if (**line != '\0' && !ww_overrides_add_text(overrides, *line, "-s", error)) {
            return NULL;
        }
    }
    return ww_platform_elaborate(platform, overrides, elaboration, error);
}

WwMachine *test_built(const char *text, const char *values, WwElaboration **elaboration)
{
    GError *error = NULL;
    WwMachine *machine = test_build(text, values, elaboration, &error);
    g_assert_no_error(error);
    g_assert_nonnull(machine);
    return machine;
}

static void dump_binding(void *user, const WwComponent *component, const WwPortRow *row,
                         const WwComponent *peer, const WwPortRow *peer_row, WwLocation where)
{
    g_autofree char *path = ww_path(component);
    g_autofree char *other = ww_path(peer);
    g_string_append_printf(user, "%s.%s = %s%s%s\n", path, row->name, other,
                           peer_row != NULL ? "." : "", peer_row != NULL ? peer_row->name : "");
}

char *test_dump(const WwMachine *machine)
{
    GString *out = g_string_new(NULL);
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *c = ww_machine_component(machine, i);
        g_autofree char *path = ww_path(c);
        g_string_append_printf(out, "%s : %s", path, c->type->name);
        for (int k = 0; c->type->params != NULL && c->type->params[k].name != NULL; k++) {
            g_autofree char *text = ww_component_get_text(c, k);
            g_string_append_printf(out, " %s=%s", c->type->params[k].name, text);
        }
        g_string_append_printf(out, " @%u", c->partition);
        g_string_append_c(out, '\n');
    }
    ww_machine_each_binding(machine, dump_binding, out);
    return g_string_free(out, false);
}

void test_expect(const char *text, const char *values, const char *const *lines)
{
    g_autoptr(WwMachine) machine = test_built(text, values, NULL);
    g_autofree char *dump = test_dump(machine);
    for (; *lines != NULL; lines++) {
        if (strstr(dump, *lines) == NULL) {
            g_error("'%s' is not in:\n%s", *lines, dump);
        }
    }
    GError *error = NULL;
    ww_machine_seal(machine, &error);
    g_assert_no_error(error);
}

void test_refuse(const char *text, const char *values, const char *const *parts)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwMachine) machine = test_build(text, values, NULL, &error);
    if (machine != NULL) {
        g_error("this was not refused with '%s':\n%s", *parts, text);
    }
    g_assert_nonnull(error);
    g_assert_true(error->domain == WW_ERROR);
    for (; *parts != NULL; parts++) {
        if (strstr(error->message, *parts) == NULL) {
            g_error("'%s' is not in:\n%s", *parts, error->message);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    registry = test_types_new();
    register_structure_tests();
    register_extends_tests();
    register_index_tests();
    register_wires_tests();
    register_overrides_tests();
    register_elaboration_tests();
    register_resolved_tests();
    register_files_tests();
    register_syntax_error_tests();
    register_name_error_tests();
    register_speed_tests();
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
