/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright new`: what it writes, and what it refuses without leaving anything. That the result builds: tests/system/export. */
#include "tests.h"

#include <glib/gstdio.h>
#include <stdint.h>
#include <string.h>

/* Runs in an empty folder; the current folder is the test's own. */
static void enter(const char *name)
{
    g_assert_cmpint(g_mkdir(tool_path(name), 0777), ==, 0);
    g_assert_cmpint(g_chdir(tool_path(name)), ==, 0);
}

static uint32_t entries(void)
{
    g_autoptr(GDir) dir = g_dir_open(".", 0, NULL);
    uint32_t n = 0;
    while (g_dir_read_name(dir) != NULL) {
        n++;
    }
    return n;
}

static void has(const char *path, const char *part)
{
    g_autofree char *text = tool_read(path);
    g_assert_nonnull(strstr(text, part));
    g_assert_null(strstr(text, "@NAME@"));
    g_assert_null(strstr(text, "@PREFIX@"));
}

static void test_new(void)
{
    enter("new");
    g_auto(Tool) t = tool_run("new", "scheduler", "mine", NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "mine/ is a scheduler of your own");
    has("mine/mine.c", ".name = \"scheduler.mine\"");
    has("mine/test_mine.c", "/mine/stays");
    has("mine/CMakeLists.txt", "warpwright_add_module(mine mine.c)");
    has("mine/README.md", "# scheduler.mine");
    g_auto(Tool) u = tool_run("new", "component", "stage_2", NULL);
    tool_status(&u, 0);
    has("stage_2/stage_2.c", ".name = \"stage_2\"");
    has("stage_2/stage_2.plat", "machine stage_2_bench");
    has("stage_2/test_stage_2.c", "\"stage_2\"");
    g_auto(Tool) v = tool_run("new", "platform", "two_policies", NULL);
    tool_status(&v, 0);
    has("two_policies/two_policies.plat", "machine two_policies extends gpu_machine");
    g_assert_cmpuint(entries(), ==, 3); /* nothing else is left */
}

static void refuses(const char *kind, const char *name, const char *message)
{
    g_auto(Tool) t = tool_run("new", kind, name, NULL);
    tool_refuses(&t, message);
}

static void test_refuses(void)
{
    enter("new-refuses");
    refuses("scheduler", "", "expected a lower-case letter");
    refuses("scheduler", "Upper", "expected a lower-case letter");
    refuses("scheduler", "../up", "expected a lower-case letter");
    refuses("scheduler", "2nd", "expected a lower-case letter");
    refuses("scheduler", "a_name_that_is_longer_than_forty_characters",
            "expected a lower-case letter");
    refuses("scheduler", "test", "name 'test' is taken by the build; expected another one");
    refuses("scheduler", "ww_x", "is taken by Warpwright's own functions");
    refuses("scheduler", "gto", "a type 'scheduler.gto' already; expected another name");
    refuses("component", "scoreboard", "a type 'scoreboard' already");
    refuses("platform", "gpu", "a platform 'gpu' already");
    refuses("schedular", "mine", "did you mean 'scheduler'?");
    g_auto(Tool) t = tool_run("new", "scheduler", NULL);
    tool_refuses(&t, "expected two words");
    g_assert_cmpuint(entries(), ==, 0);
    g_assert_true(g_file_set_contents("mine", "a file\n", -1, NULL));
    refuses("scheduler", "mine", "'mine' exists already");
    g_assert_cmpint(g_mkdir("other", 0777), ==, 0);
    refuses("scheduler", "other", "'other' exists already");
    g_assert_cmpuint(entries(), ==, 2);
}

void add_new_tests(void)
{
    g_test_add_func("/cli/new/writes", test_new);
    g_test_add_func("/cli/new/refuses", test_refuses);
}
