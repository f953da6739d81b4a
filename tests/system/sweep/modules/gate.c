/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module for tests: a run that opens it waits for a ticket, a file in the folder WW_TEST_GATE, and takes it; one that is called `open` lets all
 * pass. So a test decides how many runs of a sweep come to their end, however fast the host is.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <warpwright/module.h>

/* The sweep opens modules, too, to see whether its machines can be built. */
static int is_run(void)
{
    char words[4096] = "";
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, words, sizeof words - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    return n > 0 && strlen(words) + 1 < (size_t)n && strcmp(words + strlen(words) + 1, "run") == 0;
}

static int pass(const char *folder)
{
    DIR *dir = opendir(folder);
    int passed = 0;
    for (struct dirent *e; dir != NULL && !passed && (e = readdir(dir)) != NULL;) {
        passed = strcmp(e->d_name, "open") == 0 ||
                 (e->d_name[0] != '.' && unlinkat(dirfd(dir), e->d_name, 0) == 0);
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return passed;
}

static __attribute__((constructor)) void begin(void)
{
    const char *folder = getenv("WW_TEST_GATE");
    while (folder != NULL && is_run() && !pass(folder)) {
        usleep(5000);
    }
}

static const WwType type = {
    .abi = WW_ABI_VERSION,
    .name = "test.gate",
    .doc = "Is nowhere used.",
    .family = "test",
    .size = sizeof(WwComponent),
};

static const WwType *const types[] = {&type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "gate",
    .version = "1",
    .doc = "holds runs up",
    .types = types,
};
