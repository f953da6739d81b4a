/* SPDX-License-Identifier: Apache-2.0 */
/* What is free of the memory of this host, and of that of the control groups that this process is in: /proc and /sys tell. */
#include <string.h>
#include <sweep/processes.h>

/* How a version of control groups calls things. What files have in memory goes when somebody needs it, so that it is free. */
typedef struct Version {
    const char *line; /* of /proc/self/cgroup, before the group's path */
    const char *folder;
    const char *limit, *used;
    const char *files[2]; /* lines of memory.stat */
} Version;

static const Version versions[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", {"inactive_file ", "active_file "}},
    {":memory:",
     "/sys/fs/cgroup/memory",
     "memory.limit_in_bytes",
     "memory.usage_in_bytes",
     {"total_inactive_file ", "total_active_file "}},
};

static char *text_of(const char *folder, const char *name)
{
    g_autofree char *file = g_build_filename(folder, name, NULL);
    char *text = NULL;
    return g_file_get_contents(file, &text, NULL, NULL) ? text : NULL;
}

/* The number that the line has which begins so; 0: none, as of the limit "max". */
static uint64_t number_of(const char *text, const char *begin)
{
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (g_str_has_prefix(at, begin)) {
            return g_ascii_strtoull(at + strlen(begin), NULL, 10);
        }
    }
    return 0;
}

static uint64_t number_in(const char *folder, const char *name)
{
    g_autofree char *text = text_of(folder, name);
    return number_of(text, "");
}

/* WW_MEMORY_UNKNOWN: it has no limit. */
static uint64_t free_in(const Version *v, const char *folder)
{
    uint64_t limit = number_in(folder, v->limit), used = number_in(folder, v->used);
    if (limit == 0) {
        return WW_MEMORY_UNKNOWN;
    }
    g_autofree char *stat = text_of(folder, "memory.stat");
    for (size_t i = 0; i < G_N_ELEMENTS(v->files); i++) {
        used -= MIN(used, number_of(stat, v->files[i]));
    }
    return limit - MIN(limit, used);
}

/* Of the group and all that it is in. In a container the path may be the host's, and only what is above it is there. */
static uint64_t free_in_groups(const Version *v, const char *root, const char *groups)
{
    uint64_t n = WW_MEMORY_UNKNOWN;
    const char *line = groups != NULL ? strstr(groups, v->line) : NULL;
    if (line == NULL) {
        return n;
    }
    const char *path = line + strlen(v->line);
    g_autofree char *all = g_build_filename(root, v->folder, NULL);
    g_autofree char *own = g_strndup(path, strcspn(path, "\n"));
    g_autofree char *folder = g_build_filename(all, own, NULL);
    while (strlen(folder) >= strlen(all)) {
        n = MIN(n, free_in(v, folder));
        char *end = strrchr(folder, '/');
        *(end != NULL ? end : folder) = '\0';
    }
    return n;
}

uint64_t ww_free_memory(const char *root)
{
    g_autofree char *host = text_of(root, "/proc/meminfo");
    g_autofree char *groups = text_of(root, "/proc/self/cgroup");
    bool told = host != NULL && strstr(host, "MemAvailable:") != NULL;
    uint64_t n = told ? number_of(host, "MemAvailable:") * 1024u : WW_MEMORY_UNKNOWN;
    for (size_t i = 0; i < G_N_ELEMENTS(versions); i++) {
        n = MIN(n, free_in_groups(&versions[i], root, groups));
    }
    return n;
}
