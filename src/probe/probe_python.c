/*
 * Python installations, and the PyTorch in each, from their files: nothing is run, for a start of
 * Python with PyTorch takes seconds and memory of the device. Looked at, in this order: the folders
 * of VIRTUAL_ENV and CONDA_PREFIX, then those of PATH that hold a python3 (through links, and
 * through the stand-ins of pyenv). A package outside an installation (PYTHONPATH, a user's own
 * folder) is looked for with the first one.
 *
 * torch/version.py of PyTorch names the version and what it was built for: cuda, hip, or neither.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/slice.h"
#include "probe/probe_session.h"
#include "probe/python_text.h"

enum { MAX_SMALL_FILE = 64 * 1024 };

static const char *variable(const char *name)
{
    const char *const value = getenv(name); /* NOLINT(concurrency-mt-unsafe) */
    return value != NULL && value[0] != 0 ? value : NULL;
}

/* The value that read finds in a file, or NULL. */
static const char *value_of(struct probe_session *session, const char *path, const char *key,
                            bool (*read)(struct zv_slice, const char *, struct zv_slice *))
{
    struct zv_file file = {0};
    struct zv_slice value;
    const char *text = NULL;
    if (zv_file_open_found(&file, path, NULL) != ZV_OK) {
        return NULL;
    }
    struct zv_slice content = zv_file_slice(&file);
    content.length = content.length < MAX_SMALL_FILE ? content.length : MAX_SMALL_FILE;
    if (read(content, key, &value)) {
        text = probe_print(session, "%.*s", (int)value.length, value.at);
    }
    zv_file_close(&file);
    return text;
}

/* A file that is nothing but a value. */
static bool first_line(struct zv_slice text, const char *key, struct zv_slice *value)
{
    (void)key;
    return zv_slice_line(&text, value) && (*value = zv_slice_trim(*value)).length != 0;
}

/* The folder PREFIX/lib/python3.N, the newest when there are several; NULL without one. */
static const char *python_folder(struct probe_session *session, const char *prefix)
{
    static const char *const libraries[] = {"lib", "lib64"};
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        const char *best = NULL;
        const char *const path = probe_print(session, "%s/%s", prefix, libraries[i]);
        DIR *const folder = opendir(path);
        const struct dirent *entry;
        while (folder != NULL &&
               (entry = readdir(folder)) != NULL) { /* NOLINT(concurrency-mt-unsafe) */
            uint64_t minor;
            const struct zv_slice name = zv_slice_of(entry->d_name);
            if (zv_slice_starts(name, "python3.") &&
                zv_slice_u64((struct zv_slice){name.at + 8, name.length - 8}, &minor)) {
                const char *const found = probe_print(session, "%s/%s", path, entry->d_name);
                best = best == NULL || strverscmp(found, best) > 0 ? found : best;
            }
        }
        if (folder != NULL) {
            (void)closedir(folder);
        }
        if (best != NULL) {
            return best;
        }
    }
    return NULL;
}

static const char *version_of(struct probe_session *session, const char *prefix,
                              const char *library)
{
    const char *const config = probe_print(session, "%s/pyvenv.cfg", prefix);
    const char *const minor = library != NULL ? strrchr(library, '/') + 1 : "python3";
    const char *version = value_of(session, config, "version", python_text_value);
    if (version == NULL) {
        version = value_of(session, config, "version_info", python_text_value);
    }
    if (version == NULL) {
        version =
            value_of(session, probe_print(session, "%s/include/%s/patchlevel.h", prefix, minor),
                     "PY_VERSION", python_text_define);
    }
    return version != NULL ? version : library != NULL ? minor + strlen("python") : NULL;
}

/* PyTorch in a folder of packages. */
static bool find_torch(struct probe_session *session, struct zv_python *python, const char *folder)
{
    const char *const path = probe_print(session, "%s/torch/version.py", folder);
    const char *const version = value_of(session, path, "__version__", python_text_value);
    if (version == NULL) {
        return false;
    }
    const char *const cuda = value_of(session, path, "cuda", python_text_value);
    const char *const hip = value_of(session, path, "hip", python_text_value);
    python->torch = version;
    python->torch_file = path;
    if (hip != NULL && strcmp(hip, "None") != 0) {
        python->torch_backend = probe_print(session, "HIP %s", hip);
    } else if (cuda != NULL && strcmp(cuda, "None") != 0) {
        python->torch_backend = probe_print(session, "CUDA %s", cuda);
    } else if (cuda != NULL) {
        python->torch_backend = "the processor alone";
    }
    return true;
}

/* In PYTHONPATH before all others, in a user's own folder after them. */
static bool find_torch_along(struct probe_session *session, struct zv_python *python,
                             const char *paths)
{
    struct zv_slice rest = zv_slice_of(paths);
    while (rest.length != 0) {
        const struct zv_slice folder = zv_slice_cut(&rest, ':');
        if (folder.length != 0 &&
            find_torch(session, python,
                       probe_print(session, "%.*s", (int)folder.length, folder.at))) {
            return true;
        }
    }
    return false;
}

static void find_torch_anywhere(struct probe_session *session, struct zv_python *python,
                                const char *library)
{
    static const char *const below[] = {"site-packages", "dist-packages"};
    bool found = find_torch_along(session, python, variable("PYTHONPATH"));
    for (size_t i = 0; !found && library != NULL && i < sizeof below / sizeof below[0]; i++) {
        found = find_torch(session, python, probe_print(session, "%s/%s", library, below[i]));
    }
    const char *const home = variable("HOME");
    if (!found && home != NULL && library != NULL) {
        found = find_torch(session, python,
                           probe_print(session, "%s/.local/lib/%s/site-packages", home,
                                       strrchr(library, '/') + 1));
    }
    if (!found) { /* Debian's packages, for its own Python */
        (void)find_torch(session, python,
                         probe_print(session, "%s/lib/python3/dist-packages", python->prefix));
    }
}

static void add_prefix(struct probe_session *session, const char *prefix)
{
    struct zv_environment *const env = session->env;
    const char *const library = python_folder(session, prefix);
    for (size_t i = 0; i < env->python_count; i++) {
        if (strcmp(env->pythons[i].prefix, prefix) == 0) {
            return;
        }
    }
    if (env->python_count == PROBE_MAX_PYTHONS || library == NULL) {
        return;
    }
    struct zv_python *const python = &env->pythons[env->python_count++];
    *python = (struct zv_python){.prefix = probe_print(session, "%s", prefix)};
    python->version = version_of(session, prefix, library);
    find_torch_anywhere(session, python, library);
}

/* The folder above "bin" of a path, or NULL. */
static const char *prefix_of(struct probe_session *session, const char *program)
{
    const char *slash = strrchr(program, '/');
    if (slash == NULL) {
        return NULL;
    }
    const struct zv_slice folder = {program, (size_t)(slash - program)};
    if (!zv_slice_ends(folder, "/bin")) {
        return NULL;
    }
    return probe_print(session, "%.*s", (int)(folder.length - strlen("/bin")), program);
}

/* pyenv's stand-in programs: the version is named by a variable or a file beside them. */
static bool add_pyenv(struct probe_session *session, const char *folder)
{
    if (!zv_slice_ends(zv_slice_of(folder), "/shims")) {
        return false;
    }
    const char *const root =
        probe_print(session, "%.*s", (int)(strlen(folder) - strlen("/shims")), folder);
    const char *version = variable("PYENV_VERSION");
    if (version == NULL) {
        version = value_of(session, probe_print(session, "%s/version", root), "", first_line);
    }
    if (version != NULL) {
        add_prefix(session, probe_print(session, "%s/versions/%s", root, version));
    }
    return true;
}

static void add_program(struct probe_session *session, const char *folder)
{
    char resolved[PATH_MAX];
    const char *const program = probe_print(session, "%s/python3", folder);
    if (access(program, X_OK) != 0 || add_pyenv(session, folder)) {
        return;
    }
    const char *const own = prefix_of(session, program);
    if (own != NULL && access(probe_print(session, "%s/pyvenv.cfg", own), R_OK) == 0) {
        add_prefix(session, own); /* a virtual environment's python3 links to another's */
        return;
    }
    const char *const prefix =
        realpath(program, resolved) != NULL ? prefix_of(session, resolved) : NULL;
    if (prefix != NULL) {
        add_prefix(session, prefix[0] != 0 ? prefix : "/");
    }
}

void probe_pythons(struct probe_session *session)
{
    static const char *const prefixes[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    struct zv_slice rest = zv_slice_of(variable("PATH"));
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const char *const prefix = variable(prefixes[i]);
        if (prefix != NULL) {
            add_prefix(session, prefix);
        }
    }
    while (rest.length != 0) {
        const struct zv_slice folder = zv_slice_cut(&rest, ':');
        if (folder.length != 0) {
            add_program(session, probe_print(session, "%.*s", (int)folder.length, folder.at));
        }
    }
}
