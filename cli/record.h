/* SPDX-License-Identifier: Apache-2.0 */
/** @file What a result was made from: enough to make it again, and to see that it was made from something else. */
#pragma once

#include "cli-priv.h"

#include <trace/trace.h>

/** A file that went in. */
typedef struct CliInput {
    const char *kind; /**< "platform", "config", "options", "module", "list", "kernels" */
    char *
        name; /**< As the user named it; what came with the command begins with its folder: "configs/qv100.conf". */
    char *path;     /**< Where it is. */
    char *sha256;   /**< Of its contents; NULL: too large for that, or not asked for. */
    uint64_t bytes; /**< With `files`: of all kernel traces together. */
    uint32_t files;
} CliInput;

typedef struct CliRecord {
    GPtrArray *
        command; /**< Words that make the result again; what changes no result (-o, --progress, ...) is left out. */
    GPtrArray *inputs;  /**< CliInput */
    GPtrArray *kernels; /**< Paths of the kernel traces, char *. */
    bool hashes;        /**< Files are hashed. */
} CliRecord;

/** What went into @p setup and @p trace (may be NULL), once both are read; with the hashes of files if somebody will ask for them. */
CliRecord *cli_record_new(const CliSetup *setup, const WwTrace *trace, bool hashes);
void cli_record_free(CliRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CliRecord, cli_record_free)
/** The map that sorts the trace's opcodes, by one hash of it and of those that it refers to. */
void cli_record_opcodes(CliRecord *record, const WwOpcodeMap *map);
/** SHA-256 of the file @p path, newly allocated; NULL for what cannot be read, or is no file. */
char *cli_record_hash(const char *path);
/** Adds an option and its value (NULL: none) to the command. */
void cli_record_word(CliRecord *record, const char *option, const char *value);
/** Is the output @p path one of the inputs? An error says which; @p what names the option. */
bool cli_record_refuse(const CliRecord *record, const char *what, const char *path, GError **error);
/** Is the output @p path of @p what ("-o") the file @p input, which is read, too? An error says so. */
bool cli_record_apart(const char *what, const char *path, const char *input, GError **error);
/** Are the outputs @p paths (behind -o; NULL: none) none of the @p n files @p inputs, and each its own? */
bool cli_outputs_apart(char *const *paths, char *const *inputs, uint32_t n, GError **error);
/** Do both name the same place, whether there is a file or not? */
bool cli_record_same_place(const char *path, const char *other);
