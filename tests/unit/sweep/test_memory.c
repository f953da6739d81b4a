/* SPDX-License-Identifier: Apache-2.0 */
/* What memory is free: of the host and of control groups, in a folder that has files as /proc and /sys have. */
#include "tests.h"

#include <glib/gstdio.h>
#include <sweep/processes.h>

#define MIB (1ull << 20)
#define HOST "MemTotal: 9000000 kB\nMemFree: 5 kB\nMemAvailable: 4194304 kB\nBuffers: 7 kB\n"

static void test_host(void)
{
    char *root = g_dir_make_tmp("memory-XXXXXX", NULL);
    g_assert_cmpuint(ww_free_memory(root), ==, WW_MEMORY_UNKNOWN);
    put(root, "proc/meminfo", "MemFree: 5 kB\n"); /* of an old system */
    g_assert_cmpuint(ww_free_memory(root), ==, WW_MEMORY_UNKNOWN);
    put(root, "proc/meminfo", "MemAvailable: 0 kB\n");
    g_assert_cmpuint(ww_free_memory(root), ==, 0);
    put(root, "proc/meminfo", HOST);
    g_assert_cmpuint(ww_free_memory(root), ==, 4096 * MIB);
    put(root, "proc/self/cgroup", "0::/a/b\n");
    put(root, "sys/fs/cgroup/a/b/memory.max", "max\n");
    put(root, "sys/fs/cgroup/a/b/memory.current", "1000\n");
    g_assert_cmpuint(ww_free_memory(root), ==, 4096 * MIB);
    drop_folder(root);
    g_assert_cmpuint(ww_free_memory("/"), >, 0);
}

/* The tightest of the group and those around it counts; files that are kept in memory are free. */
static void test_groups(void)
{
    char *root = g_dir_make_tmp("memory-XXXXXX", NULL);
    put(root, "proc/meminfo", HOST);
    put(root, "proc/self/cgroup", "1:name=systemd:/x\n0::/a/b\n");
    put(root, "sys/fs/cgroup/a/b/memory.max", "3221225472\n"); /* 3 GiB */
    put(root, "sys/fs/cgroup/a/b/memory.current", "1073741824\n");
    g_assert_cmpuint(ww_free_memory(root), ==, 2048 * MIB);
    put(root, "proc/meminfo", ""); /* a limit is known where the host says nothing */
    g_assert_cmpuint(ww_free_memory(root), ==, 2048 * MIB);
    put(root, "proc/meminfo", HOST);
    put(root, "sys/fs/cgroup/a/b/memory.stat",
        "anon 5\ninactive_file 104857600\nactive_file 209715200\n");
    g_assert_cmpuint(ww_free_memory(root), ==, 2348 * MIB);
    put(root, "sys/fs/cgroup/a/memory.max", "1073741824\n");
    put(root, "sys/fs/cgroup/a/memory.current", "1048576\n");
    g_assert_cmpuint(ww_free_memory(root), ==, 1023 * MIB);
    put(root, "sys/fs/cgroup/memory.max", "10485760\n"); /* a container's own */
    g_assert_cmpuint(ww_free_memory(root), ==, 10 * MIB);
    put(root, "sys/fs/cgroup/memory.current", "20971520\n");
    g_assert_cmpuint(ww_free_memory(root), ==, 0);
    drop_folder(root);
}

static void test_old_groups(void)
{
    char *root = g_dir_make_tmp("memory-XXXXXX", NULL);
    put(root, "proc/meminfo", HOST);
    put(root, "proc/self/cgroup", "4:memory:/gone/below\n1:cpu:/\n0::/\n");
    put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    put(root, "sys/fs/cgroup/memory/memory.usage_in_bytes", "104857600\n");
    put(root, "sys/fs/cgroup/memory/memory.stat",
        "cache 9\ninactive_file 3\ntotal_inactive_file 1048576\ntotal_active_file 1048576\n");
    g_assert_cmpuint(ww_free_memory(root), ==, 926 * MIB);
    put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"); /* none */
    g_assert_cmpuint(ww_free_memory(root), ==, 4096 * MIB);
    drop_folder(root);
}

void add_memory_tests(void)
{
    g_test_add_func("/sweep/memory/host", test_host);
    g_test_add_func("/sweep/memory/groups", test_groups);
    g_test_add_func("/sweep/memory/old-groups", test_old_groups);
}
