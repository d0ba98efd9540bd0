/* What a machine says besides its devices: settings of the environment, Python installations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"
#include "support/probed_machine.h"
#include "support/test.h"

static const char *setting(const char *name)
{
    for (size_t i = 0; i < probed.env.setting_count; i++) {
        if (strcmp(probed.env.settings[i].name, name) == 0) {
            return probed.env.settings[i].value;
        }
    }
    return NULL;
}

static void test_settings(void **state)
{
    (void)state;
    if (!probed_make("", NULL, NULL, NULL)) {
        return;
    }
    (void)setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", 1);
    (void)setenv("CUDA_VISIBLE_DEVICES", "", 1); /* empty is a setting: no device */
    (void)unsetenv("LD_PRELOAD");
    probed_look();
    assert_string_equal(setting("PYTORCH_CUDA_ALLOC_CONF"), "expandable_segments:True");
    assert_string_equal(setting("CUDA_VISIBLE_DEVICES"), "");
    assert_null(setting("LD_PRELOAD"));
    (void)unsetenv("PYTORCH_CUDA_ALLOC_CONF");
    (void)unsetenv("CUDA_VISIBLE_DEVICES");
    probed_end();
}

static void test_pythons(void **state)
{
    (void)state;
    char path[512];
    if (!probed_make("", NULL, NULL, NULL)) {
        return;
    }
    const char *const old = getenv("PATH");
    char *const kept = strdup(old != NULL ? old : "");
    fake_machine_file(&probed.machine, "/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n");
    fake_machine_file(&probed.machine, "/venv/lib/python3.11/site-packages/torch/version.py",
                      "from typing import Optional\n\n__version__ = '2.6.0+cu124'\ndebug = False\n"
                      "cuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n");
    fake_machine_file(&probed.machine, "/opt/bin/python3", "");
    fake_machine_file(&probed.machine, "/opt/lib/python3.12/site-packages/torch/version.py",
                      "__version__ = '2.5.1+rocm6.2'\ncuda = None\nhip = '6.2.41133'\n");
    fake_machine_file(&probed.machine, "/opt/lib/python3.9/x", "");
    (void)snprintf(path, sizeof path, "chmod +x %s/opt/bin/python3", probed.machine.root);
    assert_int_equal(system(path), 0); /* NOLINT(cert-env33-c) */
    (void)snprintf(path, sizeof path, "%s/venv", probed.machine.root);
    (void)setenv("VIRTUAL_ENV", path, 1);
    (void)snprintf(path, sizeof path, "%s/nowhere:%s/opt/bin", probed.machine.root,
                   probed.machine.root);
    (void)setenv("PATH", path, 1);
    probed_look();
    (void)setenv("PATH", kept, 1);
    free(kept);
    (void)unsetenv("VIRTUAL_ENV");
    assert_int_equal(probed.env.python_count, 2);
    assert_string_equal(probed.env.pythons[0].version, "3.11.7");
    assert_string_equal(probed.env.pythons[0].torch, "2.6.0+cu124");
    assert_string_equal(probed.env.pythons[0].torch_backend, "CUDA 12.4");
    assert_string_equal(probed.env.pythons[1].version, "3.12"); /* the newer of the two folders */
    assert_string_equal(probed.env.pythons[1].torch_backend, "HIP 6.2.41133");
    probed_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_pythons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
