/* SPDX-License-Identifier: Apache-2.0 */
/* A `.conf` file, and behind "---" one that it may include; then a machine whose parameters are of all kinds. */
#include "common/fuzz.h"

#include <platforms/platform.h>
#include <string.h>

static const char text[] =
    "machine m { domain core = 1GHz; phases { core : core; } param n : uint = 3 in 1..9;\n"
    "param b : uint bytes = 4KiB; param r : real Hz = 1.5; param c : choice(one|two) = two;\n"
    "param l : list = [1, 2]; param s : string = \"x\"; final param f : uint = 2; param w : bool = "
    "true; }\n";

/* Of no file but ours: not of a terminal or a pipe. */
static bool includes_others(const uint8_t *data, size_t size)
{
    static const char word[] = "include", ours[] = "include /proc/self/fd/90";
    const uint8_t *end = data + size, *at = data;
    while ((at = memmem(at, (size_t)(end - at), word, strlen(word))) != NULL) {
        if ((size_t)(end - at) <= strlen(ours) || memcmp(at, ours, strlen(ours)) != 0 ||
            (at[strlen(ours)] != '0' && at[strlen(ours)] != '1')) {
            return true;
        }
        at += strlen(word);
    }
    return false;
}

static void note_file(void *user, const char *file, const char *content, size_t length)
{
    *(size_t *)user += strlen(file) + strnlen(content, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static WwRegistry *registry;
    static const char *const dirs[] = {"/nowhere", NULL};
    if (includes_others(data, size)) {
        return 0;
    }
    registry = registry != NULL ? registry : ww_registry_new();
    size_t length, sum = 0;
    const char *second = fuzz_second(data, size, &length);
    const char *file = fuzz_file(0, data, length);
    fuzz_file(1, second, size - (size_t)(second - (const char *)data));
    g_autoptr(GError) error = NULL;
    g_autoptr(WwOverrides) overrides = ww_overrides_new();
    bool good = ww_overrides_add_file(overrides, file, dirs, &error);
    fuzz_check_error(good, error, true);
    bool preferred;
    ww_conf_is_for(file, 70, &preferred);
    if (!good) {
        return 0;
    }
    uint32_t n;
    const char *by;
    fuzz_check(ww_overrides_traces(overrides, &n, &by) == NULL || n > 0, "for no traces", file);
    ww_overrides_each_file(overrides, note_file, &sum);
    g_autoptr(WwPlatform) platform =
        ww_platform_load_text(registry, text, strlen(text), "m.plat", NULL, &error);
    fuzz_check(platform != NULL, "platform", error != NULL ? error->message : "");
    g_autoptr(WwElaboration) e = NULL;
    g_autoptr(WwMachine) machine = ww_platform_elaborate(platform, overrides, &e, &error);
    fuzz_check_error(machine != NULL, error, true);
    return 0;
}
