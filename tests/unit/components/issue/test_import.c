/* SPDX-License-Identifier: Apache-2.0 */
/* The options of this room: which policy and latencies they choose, and what is wrong. */
#include "tests.h"

#include <compat/import.h>
#include <glib/gstdio.h>
#include <unistd.h>

static const char platform_text[] =
    "composite sm { param scheduler : type like scheduler = scheduler.lrr;\n"
    "    issue[2] : warp_scheduler { policy : $scheduler; } }\n"
    "machine m { domain core = 1GHz; phases { core : core; } sm : sm; }\n";

/* The machine that @p options make, or NULL. */
static WwMachine *import(const char *options, GError **error)
{
    g_autofree char *file = NULL;
    int fd = g_file_open_tmp("options-XXXXXX", &file, error);
    g_assert_cmpint(fd, >=, 0);
    close(fd);
    g_assert_true(g_file_set_contents(file, options, -1, NULL));
    g_autoptr(WwOverrides) values = ww_overrides_new();
    const char *files[] = {file, NULL};
    bool ok = ww_gpgpusim_import(values, files, &(WwImportOptions){.strict = true}, error);
    g_unlink(file);
    if (!ok) {
        return NULL;
    }
    g_autoptr(WwPlatform) platform = ww_platform_load_text(
        test_registry(), platform_text, strlen(platform_text), "m.plat", NULL, error);
    g_assert_nonnull(platform);
    return ww_platform_elaborate(platform, values, NULL, error);
}

static void check(const char *options, const char *path, const char *type, const char *param,
                  const char *value)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwMachine) m = import(options, &error);
    g_assert_no_error(error);
    const WwComponent *c = ww_machine_find(m, path);
    g_assert_nonnull(c);
    g_assert_cmpstr(c->type->name, ==, type);
    if (param != NULL) {
        g_autofree char *text = ww_component_get_text(c, ww_type_param(c->type, param));
        g_assert_cmpstr(text, ==, value);
    }
}

static void check_policy(const char *value, const char *type, const char *param, const char *n)
{
    g_autofree char *options = g_strdup_printf("-gpgpu_scheduler %s\n", value);
    check(options, "sm.issue[0].policy", type, param, n);
    check(options, "sm.issue[1].policy", type, param, n);
}

static void test_policies(void)
{
    check_policy("lrr", "scheduler.lrr", NULL, NULL);
    check_policy("gto", "scheduler.gto", NULL, NULL);
    check_policy("rrr", "scheduler.rrr", NULL, NULL);
    check_policy("old", "scheduler.oldest", NULL, NULL);
    check_policy("oldest_first", "scheduler.oldest", NULL, NULL);
    check_policy("two_level_active:6:0:1", "scheduler.two_level", "active", "6");
    check_policy("warp_limiting:2:16", "scheduler.swl", "limit", "16");
    check_policy("warp_limiting:2:0", "scheduler.swl", "limit", "0");
    check_policy("a-lrr-and-gto", "scheduler.lrr", NULL, NULL); /* the first in the list */
}

static void refuse(const char *options, const char *why)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwMachine) m = import(options, &error);
    g_assert_null(m);
    g_assert_nonnull(error);
    if (strstr(error->message, why) == NULL) {
        g_error("'%s' is not in: %s", why, error->message);
    }
}

static void test_refused(void)
{
    refuse("-gpgpu_scheduler fifo\n",
           ":1: -gpgpu_scheduler has value 'fifo'; expected one of lrr two_level_active:N:0:1 gto "
           "rrr old warp_limiting:2:N");
    refuse("-gpgpu_scheduler two_level_active\n", "expected two_level_active:N:0:1");
    refuse("-gpgpu_scheduler two_level_active:6:1:1\n", "expected two_level_active:N:0:1");
    refuse("-gpgpu_scheduler two_level_active:6:0:0\n", "expected two_level_active:N:0:1");
    refuse("-gpgpu_scheduler two_level_active:x:0:1\n", "expected two_level_active:N:0:1");
    refuse("-gpgpu_scheduler warp_limiting:1:4\n", "expected warp_limiting:2:N");
    refuse("-gpgpu_scheduler warp_limiting:2\n", "expected warp_limiting:2:N");
    refuse("-gpgpu_scheduler warp_limiting:2:-4\n", "expected warp_limiting:2:N");
    refuse("-gpgpu_scheduler two_level_active:0:0:1\n", ":1:");
    refuse("-gpgpu_scheduler warp_limiting:2:65\n", ":1:");
}

static void test_launch_latency(void)
{
    check("", "sm.issue[0]", "warp_scheduler", "launch_latency", "[7200, 8000, 100, 12000, 1600]");
    check("-gpgpu_cdp_enabled 1\n-cdp_latency 1,2,3,4,5\n", "sm.issue[1]", "warp_scheduler",
          "launch_latency", "[1, 2, 3, 4, 5]");
    refuse("-cdp_latency 1,2,3,4\n",
           "-cdp_latency has value '1,2,3,4'; expected 5 numbers separated by commas");
    refuse("-cdp_latency 1,2,3,4,x\n", "expected 5 numbers separated by commas");
}

void register_import_tests(void)
{
    g_test_add_func("/issue/import/policies", test_policies);
    g_test_add_func("/issue/import/refused", test_refused);
    g_test_add_func("/issue/import/launch_latency", test_launch_latency);
}
