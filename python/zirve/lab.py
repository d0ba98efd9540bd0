"""The lab exercise in PyTorch: the small dense network of `zirve measure`, in the same phases.

context is a dimension of this network and no language model's length; the exercise proves no card's
capacity for another model.
"""

from .phases import Session

DTYPES = {"float32": 4, "float16": 2, "bfloat16": 2}
OPTIMIZERS = ("sgd", "adam")


class Network:
    """Layers of width x width with a bias, ReLU between them; mean squared error."""

    def __init__(self, torch, sizes, device):
        self.torch = torch
        self.sizes = sizes
        self.place = {"device": device, "dtype": getattr(torch, sizes["dtype"])}
        self.kept = {}

    def model_load(self):
        torch, width = self.torch, self.sizes["width"]
        torch.manual_seed(self.sizes["seed"])
        shapes = [shape for _ in range(self.sizes["depth"]) for shape in ((width, width), (width,))]
        self.values = [torch.randn(shape).div(width ** 0.5).to(**self.place) for shape in shapes]
        for value in self.values:
            value.requires_grad_(self.sizes["train"])
        if self.sizes["train"]:
            kind = torch.optim.Adam if self.sizes["optimizer"] == "adam" else torch.optim.SGD
            self.optimizer = kind(self.values, lr=1e-3)

    def random(self):
        shape = (self.sizes["batch"] * self.sizes["context"], self.sizes["width"])
        return self.torch.randn(shape).to(**self.place)

    def inputs(self):
        self.input = self.random()
        self.target = self.random() if self.sizes["train"] else None

    def through(self, values):
        linear, relu = self.torch.nn.functional.linear, self.torch.relu
        for layer in range(self.sizes["depth"]):
            values = linear(values, self.values[2 * layer], self.values[2 * layer + 1])
            values = values if layer + 1 == self.sizes["depth"] else relu(values)
        return values

    def infer(self):
        with self.torch.no_grad():
            self.through(self.input)

    def forward(self):
        self.kept["output"] = self.through(self.input)

    def loss(self):
        loss = self.torch.nn.functional.mse_loss
        self.kept["loss"] = loss(self.kept.pop("output"), self.target)

    def backward(self):
        self.kept.pop("loss").backward()

    def update(self):
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def step(self):
        self.forward()
        self.loss()
        self.backward()
        self.update()

    def evaluation(self):
        with self.torch.no_grad():
            output = self.through(self.random())
            self.torch.nn.functional.mse_loss(output, self.random())

    def export(self):
        self.exported = [value.detach().cpu() for value in self.values]

    def warm_up(self):
        for _ in range(self.sizes["warmup"]):
            (self.step if self.sizes["train"] else self.infer)()


def rows(network, sizes):
    """Name, work, how often as a phase, what is counted in it and how many."""
    warm = [("warmup", network.warm_up, 1, "steps" if sizes["train"] else "forwards",
             sizes["warmup"])] if sizes["warmup"] else []
    start = [("model_load", network.model_load, 1, None, 0), ("inputs", network.inputs, 1, None, 0)]
    if not sizes["train"]:
        return (start + [("cold_forward", network.infer, 1, "forwards", 1)] + warm
                + [("warm_forward", network.infer, sizes["repeats"], "forwards", 1)])
    return (start + [("forward", network.forward, 1, "forwards", 1),
                     ("loss", network.loss, 1, None, 0),
                     ("backward", network.backward, 1, "backwards", 1),
                     ("first_update", network.update, 1, "updates", 1)] + warm
            + [("updates", network.step, sizes["repeats"], "steps", 1),
               ("evaluation", network.evaluation, 1, "forwards", 1),
               ("export", network.export, 1, None, 0)])


def check(sizes):
    for name in ("batch", "context", "width", "depth", "repeats"):
        if sizes[name] < 1:
            raise ValueError("%s %d: expected 1 or more" % (name, sizes[name]))
    if sizes["warmup"] < 0:
        raise ValueError("warmup %d: expected 0 or more" % sizes["warmup"])
    if sizes["dtype"] not in DTYPES:
        raise ValueError("dtype %s: expected %s" % (sizes["dtype"], ", ".join(DTYPES)))
    if sizes["optimizer"] not in OPTIMIZERS:
        raise ValueError("optimizer %s: expected sgd or adam" % sizes["optimizer"])


def lab(device="cuda:0", batch=1, context=16, width=64, depth=2, dtype="float32", warmup=1,
        repeats=2, train=False, optimizer="adam", seed=0):
    """Runs the exercise and returns its Session; a failed phase ends it and makes it partial."""
    sizes = {"batch": batch, "context": context, "width": width, "depth": depth, "dtype": dtype,
             "warmup": warmup, "repeats": repeats, "train": train, "optimizer": optimizer,
             "seed": seed}
    check(sizes)
    parameters = depth * (width * width + width)
    exercise = {"batch": batch, "context": context, "width": width, "depth": depth, "dtype": dtype,
                "parameters": parameters, "parameter_bytes": parameters * DTYPES[dtype],
                "train": train, "optimizer": optimizer if train else None, "warmup": warmup,
                "repeats": repeats, "seed": seed, "alloc_conf": None, "empty_cache": "never"}
    session = Session(device, exercise)
    torch = session.counters.torch
    network = Network(torch, sizes, session.counters.device)
    dimensions = {"batch": batch, "context": context, "width": width, "depth": depth,
                  "rows": batch * context}
    try:
        for name, work, times, counted, count in rows(network, sizes):
            for repeat in range(1, times + 1):
                more = {counted: count} if counted else {}
                with session.phase(name, repeat, **dimensions, **more):
                    work()
    except RuntimeError:  # of the device, out of memory too: kept in the phase
        if not session.phases or session.phases[-1]["succeeded"]:
            raise
    return session
