/* SPDX-License-Identifier: Apache-2.0 */
/** @file Files that tests leave. */
#pragma once

/** Removes a folder with all that is in it; a link goes, what it leads to stays. Not there: nothing happens. */
void test_remove_folder(const char *path);
