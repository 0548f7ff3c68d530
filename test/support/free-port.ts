/** Ports for servers that listen a while after their port was chosen, or again after a restart. */
import { randomInt } from 'node:crypto';
import { freePort } from '../../storage/embedded/cluster.ts';

/** Below those that systems give to connections (from 32,768 on Linux, 49,152 elsewhere), so that nobody's connection takes it meanwhile. */
const ports = { from: 20_000, to: 32_000 };

export async function pickPort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.from, ports.to);
    if ((await freePort(port)) === port) return port;
  }
}
