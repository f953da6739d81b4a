/* SPDX-License-Identifier: Apache-2.0 */
/* Files: names and directories, imports, includes, and what is refused of a file as such. */
#include "tests.h"
#include <glib/gstdio.h>

typedef struct Dir {
    char *path;
    GPtrArray *made;
} Dir;

static void setup(Dir *d, gconstpointer data)
{
    d->path = g_dir_make_tmp("ww-platforms-XXXXXX", NULL);
    d->made = g_ptr_array_new_with_free_func(g_free);
}

static void teardown(Dir *d, gconstpointer data)
{
    for (guint i = d->made->len; i > 0; i--) {
        g_remove(d->made->pdata[i - 1]);
    }
    g_rmdir(d->path);
    g_ptr_array_unref(d->made);
    g_free(d->path);
}

static const char *put(Dir *d, const char *name, const char *text, gssize length)
{
    char *file = g_build_filename(d->path, name, NULL);
    g_autofree char *dir = g_path_get_dirname(file);
    if (g_mkdir(dir, 0700) == 0) {
        g_ptr_array_add(d->made, g_steal_pointer(&dir));
    }
    g_assert_true(g_file_set_contents(file, text, length, NULL));
    g_ptr_array_add(d->made, file);
    return file;
}

#define MACHINE "machine m { domain core = 1GHz; phases { core : core; } c : c; }\n"

/* "a" imports beside itself and from a directory; cycles and repeats are harmless. */
static void test_imports(Dir *d, gconstpointer data)
{
    put(d, "lib/c.plat",
        "import \"d.plat\"; import \"../main.plat\"; composite c extends d { s : source; }", -1);
    put(d, "lib/d.plat", "import \"c.plat\"; composite d { t : source; }", -1);
    const char *file =
        put(d, "main.plat",
            "import \"lib/c.plat\"; import \"d.plat\"; import \"lib/d.plat\";\n" MACHINE, -1);
    g_autofree char *lib = g_build_filename(d->path, "lib", NULL);
    const char *const dirs[] = {"/nowhere", lib, d->path, NULL};
    g_autoptr(GError) error = NULL;
    const char *const names[] = {file, "main", "main.plat"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(WwPlatform) platform = ww_platform_load(test_registry(), names[i], dirs, &error);
        g_assert_no_error(error);
        g_autoptr(WwMachine) machine = ww_platform_elaborate(platform, NULL, NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(ww_machine_n_components(machine), ==, 2);
        g_autofree char *where = g_strdup_printf("%s/lib/c.plat", d->path);
        g_assert_cmpstr(ww_component_where(ww_machine_find(machine, "c.s")).file, ==, where);
    }
}

static void refuse_file(const char *name, const char *const *dirs, const char *const *parts)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(ww_platform_load(test_registry(), name, dirs, &error));
    for (; *parts != NULL; parts++) {
        if (strstr(error->message, *parts) == NULL) {
            g_error("'%s' is not in:\n%s", *parts, error->message);
        }
    }
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_refused(Dir *d, gconstpointer data)
{
    const char *const dirs[] = {d->path, NULL};
    refuse_file("volta", dirs, PARTS("volta: there is no such file here or in ", d->path));
    refuse_file("volta", NULL,
                PARTS("volta: there is no such file; expected a name there, or a file name, which "
                      "has a '/' or its suffix"));
    refuse_file("./none.plat", NULL, PARTS("./none.plat: there is no such file"));
    refuse_file("/none.plat", NULL, PARTS("/none.plat: "));
    refuse_file("/", NULL, PARTS("/: not a regular file"));
    refuse_file(put(d, "nul.plat", "composite c { }\nx\0y", 19), NULL,
                PARTS("nul.plat:2:2: NUL byte; expected text"));
    refuse_file(put(d, "utf.plat", "# \xc3\xa9\xff", -1), NULL,
                PARTS("utf.plat:1:4: byte 0xff is not UTF-8"));
    g_autofree char *line = g_strnfill(10001, ' ');
    refuse_file(put(d, "line.plat", line, -1), NULL,
                PARTS("line.plat:1:1: line of 10001 bytes; expected at most 10000"));
    g_autofree char *huge = g_strnfill((16u << 20) + 1, '\n');
    refuse_file(put(d, "huge.plat", huge, -1), NULL,
                PARTS("16777217 bytes; expected at most 16777216"));
    refuse_file(put(d, "none.plat", "composite c { }", -1), NULL,
                PARTS("none.plat: no machine is declared"));
    refuse_file(put(d, "two.plat", "composite c { }\n" MACHINE "machine n { }", -1), NULL,
                PARTS("two.plat:3:9: a second machine, 'n'; expected one in a file\n    machine n "
                      "{ }\n            ^"));
    put(d, "m.plat", "composite c { }\n" MACHINE "", -1);
    put(d, "n.plat", "machine n { }", -1);
    refuse_file(put(d, "both.plat", "import \"m.plat\"; import \"n.plat\";", -1), NULL,
                PARTS("both.plat: no machine of its own and 2 imported ones, m of ",
                      "m.plat, n of ", "n.plat; expected 'machine NAME extends ... { ... }'"));
    refuse_file(put(d, "twice.plat", "import \"m.plat\";\ncomposite c { }", -1), NULL,
                PARTS("twice.plat:2:11: 'c' is declared already in ", "m.plat:1"));
    refuse_file(put(d, "gone.plat", "import \"nope.plat\";", -1), NULL,
                PARTS("gone.plat:1:8: cannot import: ", "nope.plat"));
    /* an error in an imported file speaks of that file */
    put(d, "bad.plat", "\n  composite { }", -1);
    refuse_file(
        put(d, "good.plat", "import \"bad.plat\";", -1), NULL,
        PARTS("/bad.plat:2:13: '{' here; expected a name\n      composite { }\n                ^"));
}

/* A machine of an imported file, with composites of one's own for its parameters. */
static void test_imported_machine(Dir *d, gconstpointer data)
{
    put(d, "base.plat",
        "composite sm { s : source; }\nmachine m { domain core = 1GHz; phases { core : core; } "
        "param sm : type like sm = sm; g : $sm; }",
        -1);
    const char *file =
        put(d, "mine.plat", "import \"base.plat\"; composite my_sm extends sm { t : source; }", -1);
    g_autoptr(GError) error = NULL;
    g_autoptr(WwPlatform) platform = ww_platform_load(test_registry(), file, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(WwOverrides) o = ww_overrides_new();
    g_assert_true(ww_overrides_add_text(o, "sm=my_sm", "-s", &error));
    g_autoptr(WwMachine) machine = ww_platform_elaborate(platform, o, NULL, &error);
    g_assert_no_error(error);
    g_assert_nonnull(ww_machine_find(machine, "g.t"));
}

static void test_deep_imports(Dir *d, gconstpointer data)
{
    for (int i = 0; i < 70; i++) {
        g_autofree char *name = g_strdup_printf("f%d.plat", i);
        g_autofree char *text = g_strdup_printf("import \"f%d.plat\";", i + 1);
        put(d, name, text, -1);
    }
    g_autofree char *first = g_build_filename(d->path, "f0.plat", NULL);
    refuse_file(first, NULL,
                PARTS("f64.plat:1:8: imports nested too deeply; expected at most 64 levels"));
}

static void test_includes(Dir *d, gconstpointer data)
{
    put(d, "a.conf", "platform old\ns.rate = 3\n", -1);
    put(d, "sub/b.conf",
        "include \"../a.conf\" # beside\ninclude a\nplatform \"new\"\ns.rate = 4\n", -1);
    const char *const dirs[] = {d->path, NULL};
    g_autoptr(WwOverrides) o = ww_overrides_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *b = g_build_filename(d->path, "sub", "b.conf", NULL);
    g_assert_true(ww_overrides_add_file(o, b, dirs, &error));
    g_assert_no_error(error);
    g_assert_cmpstr(ww_overrides_platform(o, NULL), ==, "new");
    g_autoptr(WwOverrides) named = ww_overrides_new();
    g_assert_true(ww_overrides_add_file(named, "a", dirs, &error));
    g_assert_cmpstr(ww_overrides_platform(named, NULL), ==, "old");
    g_assert_false(ww_overrides_add_file(named, "nope", dirs, &error));
    g_assert_nonnull(strstr(error->message, "nope: there is no such file here or in "));
    g_clear_error(&error);
    const char *self = put(d, "self.conf", "\ninclude self.conf\n", -1);
    g_assert_false(ww_overrides_add_file(named, self, NULL, &error));
    g_assert_nonnull(strstr(error->message, "self.conf:2:1: "));
    g_assert_nonnull(strstr(error->message, "includes itself; expected no cycle"));
    g_clear_error(&error);
    for (int i = 0; i < 70; i++) {
        g_autofree char *name = g_strdup_printf("f%d.conf", i);
        g_autofree char *text = g_strdup_printf("include f%d.conf", i + 1);
        put(d, name, text, -1);
    }
    g_autofree char *first = g_build_filename(d->path, "f0.conf", NULL);
    g_assert_false(ww_overrides_add_file(named, first, NULL, &error));
    g_assert_nonnull(strstr(error->message, "includes nested too deeply"));
}

/* What lies in the text of a library is told with the user's statement that led there. */
static void test_blame(Dir *d, gconstpointer data)
{
    static const struct Led {
        const char *text, *set, *says, *from;
    } led[] = {
        {"p : part { n = 1; }", NULL, "number of elements is -1; expected", "main.plat:2:68"},
        {"param few : uint = 1; p : part { n = few; }", NULL, "number of elements is -1;",
         "main.plat:2:90"},
        {"p : part;", "p.n=1", "number of elements is -1;", "-s p.n=1"},
        {"t : top { p : mine; }", NULL, "composite 'mine' has no port 'out'", "main.plat:1:30"},
        {"t : top { p : other; }", NULL, "'out' is a port that requires", "main.plat:1:98"},
    };
    put(d, "lib/lib.plat",
        "composite part { param n : uint = 3; param k : uint = n * 1; a[k - 2] : worker; port out "
        "= "
        "a[0].out; }\n"
        "composite top { param w : uint = 3; p : part; s : sink; p.out -> s.in; }\n",
        -1);
    g_autofree char *lib = g_build_filename(d->path, "lib", NULL);
    const char *const dirs[] = {lib, NULL};
    for (size_t i = 0; i < G_N_ELEMENTS(led); i++) {
        g_autofree char *text =
            g_strdup_printf("import \"lib.plat\"; composite mine extends part { remove a; } "
                            "composite other extends "
                            "part { port out = a[0].policy; }\n"
                            "machine m { domain core = 1GHz; phases { core : core; } %s }\n",
                            led[i].text);
        g_autoptr(GError) error = NULL;
        g_autoptr(WwPlatform) platform =
            ww_platform_load(test_registry(), put(d, "main.plat", text, -1), dirs, &error);
        g_assert_no_error(error);
        g_autoptr(WwOverrides) o = ww_overrides_new();
        g_assert_true(led[i].set == NULL || ww_overrides_add_text(o, led[i].set, "-s", &error));
        g_assert_null(ww_platform_elaborate(platform, o, NULL, &error));
        const char *from = strstr(error->message, " (from ");
        g_test_message("%s", error->message);
        g_assert_nonnull(strstr(error->message, "lib/lib.plat:"));
        g_assert_nonnull(strstr(error->message, led[i].says));
        g_assert_nonnull(from);
        g_assert_nonnull(strstr(from, led[i].from));
    }
}

/* What is wrong with a line of a config that another one includes is told with the `include`, the outermost of several. */
static void test_blame_include(Dir *d, gconstpointer data)
{
    static const char *const lines[] = {"p.width = 1\n", "p.widht = 1\n", "p.width = many\n"};
    const char *plat = put(d, "main.plat",
                           "machine m { domain core = 1GHz; phases { core : core; } p : worker; "
                           "q : pipe; }\n",
                           -1);
    put(d, "inner.conf", "include \"base.conf\"\n", -1);
    const char *file = put(d, "my.conf", "p.size = 2KiB\ninclude \"inner.conf\"\n", -1);
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_autoptr(GError) error = NULL;
        put(d, "base.conf", lines[i], -1);
        g_autoptr(WwPlatform) platform = ww_platform_load(test_registry(), plat, NULL, &error);
        g_autoptr(WwOverrides) o = ww_overrides_new();
        g_assert_true(ww_overrides_add_file(o, file, NULL, &error));
        g_autoptr(WwMachine) machine = ww_platform_elaborate(platform, o, NULL, &error);
        g_assert_cmpint(machine != NULL, ==, i == 0);
        g_test_message("%s", error != NULL ? error->message : "none");
        g_assert_true(error == NULL || strstr(error->message, "base.conf:1:") != NULL);
        g_assert_true(error == NULL || strstr(error->message, "my.conf:2:") != NULL);
    }
}

#define ADD(name, fn) g_test_add("/platforms/files/" name, Dir, NULL, setup, fn, teardown)

void register_files_tests(void)
{
    ADD("blame", test_blame);
    ADD("blame-include", test_blame_include);
    ADD("imports", test_imports);
    ADD("refused", test_refused);
    ADD("imported_machine", test_imported_machine);
    ADD("deep_imports", test_deep_imports);
    ADD("includes", test_includes);
}
