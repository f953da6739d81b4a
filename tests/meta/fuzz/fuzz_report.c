/* SPDX-License-Identifier: Apache-2.0 */
/* Results that `report` makes a page of; behind "---" those of a second run. Whatever they hold, the page has our scripts only. */
#include "common/fuzz.h"

#include <cli-priv.h>
#include <report/report.h>
#include <result_file.h>
#include <string.h>

static void check_page(const WwReportRun *runs, uint32_t n)
{
    char *page = NULL;
    size_t length = 0;
    unsigned scripts = 0;
    FILE *out = open_memstream(&page, &length);
    ww_report_write(runs, n, "warpwright", out);
    fclose(out);
    for (const char *at = page; (at = strstr(at, "<script")) != NULL; at++) {
        scripts++;
    }
    fuzz_check(strlen(page) == length && g_utf8_validate(page, -1, NULL), "no text", page);
    fuzz_check(scripts == 3 && strstr(page, "<img") == NULL, "not our scripts only", page);
    fuzz_check(g_str_has_suffix(page, "</script>\n</body>\n</html>\n"), "no whole page", page);
    free(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t length;
    const char *second = fuzz_second(data, size, &length);
    size_t rest = size - (size_t)(second - (const char *)data);
    const char *files[] = {fuzz_file(0, data, length), fuzz_file(1, second, rest)};
    WwReportRun runs[2];
    uint32_t n = 0;
    bool good = true;
    for (uint32_t i = 0; good && i < (rest > 0 ? 2u : 1u); i++) {
        g_autoptr(GError) error = NULL;
        json_t *o = cli_result_read(files[i], &error);
        if (o != NULL) {
            runs[n++] = (WwReportRun){files[i], o};
        } else {
            good = false;
        }
        fuzz_check_error(good, error, false);
    }
    if (good) {
        check_page(runs, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        json_decref((json_t *)runs[i].result);
    }
    return 0;
}
