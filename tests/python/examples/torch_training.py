# A step of training with A and its adjoint, through which gradients pass.
import torch

import lsrecon
from lsrecon.torch import Linear

scan = lsrecon.simulate("radial", (48, 48), coils=4, undersampling=3, snr=30)
encoding = Linear(lsrecon.Encoding(scan.trajectory, (48, 48), maps=scan.maps))
samples = torch.from_numpy(scan.samples)
truth = torch.from_numpy(scan.truth).abs()

network = torch.nn.Conv2d(2, 2, 3, padding=1)
optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
first = encoding.adjoint(samples) / len(scan.trajectory)
for step in range(3):
    image = first + torch.view_as_complex(
        network(torch.view_as_real(first).movedim(-1, 0)[None])[0].movedim(0, -1).contiguous())
    image = image - encoding.adjoint(encoding(image) - samples) / len(scan.trajectory)
    loss = (image.abs() - truth).square().mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    print(step, float(loss))
