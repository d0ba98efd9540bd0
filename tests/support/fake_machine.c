#include "support/fake_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_TEXT = 1024 };

static void die(const char *what, const char *path)
{
    (void)fprintf(stderr, "%s %s\n", what, path);
    abort();
}

bool fake_machine_make(struct fake_machine *machine, const char *words)
{
    if (getenv("ZIRVE_FAKE_DIR") == NULL) {
        return false;
    }
    *machine = (struct fake_machine){.folder = "/tmp/zirve-machine-XXXXXX"};
    if (mkdtemp(machine->folder) == NULL) {
        die("cannot make", machine->folder);
    }
    (void)snprintf(machine->libraries, sizeof machine->libraries, "%s/lib", machine->folder);
    (void)snprintf(machine->root, sizeof machine->root, "%s/root", machine->folder);
    if (mkdir(machine->libraries, 0700) != 0 || mkdir(machine->root, 0700) != 0) {
        die("cannot make folders in", machine->folder);
    }
    machine->places =
        (struct zv_probe_places){.libraries = machine->libraries, .root = machine->root};
    (void)setenv("FAKE_GPU", words, 1);
    return true;
}

void fake_machine_remove(struct fake_machine *machine)
{
    char command[PATH_TEXT];
    (void)snprintf(command, sizeof command, "rm -r '%s'", machine->folder);
    if (system(command) != 0) { /* NOLINT(cert-env33-c) */
        die("cannot remove", machine->folder);
    }
    (void)unsetenv("FAKE_GPU");
}

void fake_machine_library(const struct fake_machine *machine, const char *name, const char *build)
{
    char from[PATH_TEXT];
    char to[PATH_TEXT];
    (void)snprintf(from, sizeof from, "%s/%s", getenv("ZIRVE_FAKE_DIR"), build);
    (void)snprintf(to, sizeof to, "%s/%s", machine->libraries, name);
    if (access(from, R_OK) != 0 || symlink(from, to) != 0) {
        die("cannot link", from);
    }
}

void fake_machine_file(const struct fake_machine *machine, const char *path, const char *text)
{
    char whole[PATH_TEXT];
    (void)snprintf(whole, sizeof whole, "%s%s", machine->root, path);
    for (char *slash = whole + strlen(machine->root) + 1; (slash = strchr(slash, '/')) != NULL;
         slash++) {
        *slash = 0;
        (void)mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *const file = fopen(whole, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        die("cannot write", whole);
    }
}
