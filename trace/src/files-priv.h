/* SPDX-License-Identifier: Apache-2.0 */
/** @file A folder of files that appear together, and the compressors that write them. */
#pragma once

#include <trace/info.h>
#include <warpwright/output.h>

/** Files of one folder; none has its name before all are complete. */
typedef struct WwFiles WwFiles;

/** Makes the folder, and what is missing above it. NULL with @p error when it cannot, or a list is there. */
WwFiles *ww_files_new(const char *folder, GError **error);
const char *ww_files_folder(const WwFiles *files);
/** Opens @p path in it, which is complete after ww_output_finish(). NULL with @p error when it is there already. */
WwOutput *ww_files_add(WwFiles *files, const char *path, GError **error);
/** Gives everything its name, or (not @p good) removes it, the folders, too. Frees @p files, which may be NULL. Returns whether all is there. */
bool ww_files_end(WwFiles *files, bool good, GError **error);

/** Text on its way into a file. */
typedef struct WwSqueeze WwSqueeze;

/** @p level: 0: the compressor's usual. @p path: for errors. */
WwSqueeze *ww_squeeze_new(const char *path, FILE *out, WwTraceCompressor compressor, uint32_t level,
                          GError **error);
/** The next @p n bytes; nothing comes after the @p last. */
bool ww_squeeze(WwSqueeze *squeeze, const void *data, size_t n, bool last, GError **error);
/** Bytes that it wrote. */
uint64_t ww_squeeze_bytes(const WwSqueeze *squeeze);
void ww_squeeze_free(WwSqueeze *squeeze);
