/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What our pages are made of, as text that a program writes into a page: nothing of it asks for anything else. web/README.md says
 * what is in it and how a page uses it.
 *
 * A page with a Content-Security-Policy names what may run by its hash: write exactly this text between the tags.
 */
#pragma once

/** For one <style>: the charting library's and ours. ASCII, NUL-terminated. */
extern const char ww_web_style[];
/** For one <script>: the charting library (`uPlot`), then ours (`WW`). ASCII, NUL-terminated, without "</script". */
extern const char ww_web_script[];
