/** A stitch that queues its deliveries and sends none: an open circuit whose next probe is far away. */
import type { BenchDatabase } from './bench-database.ts';
import type { Skein } from './skein.ts';

/** For `query` while the node is stopped. `$1`: the stitch. */
export const openCircuit = `
  update stitches set status = 'error', state = jsonb_set(state, '{health}',
    '{"failures": 10, "failingSince": 0, "exhausted": 0, "probeAt": 4102444800000}') where stitch_id = $1`;

/** Makes a stitch of inbound messages with an open circuit: it is due every event and is sent none. The node is stopped meanwhile. */
export async function addOpenStitch(skein: Skein, database: BenchDatabase): Promise<void> {
  const { stitch } = await skein.api.post<{ stitch: { stitchId: string } }>('/stitches', {
    projectId: skein.projectId,
    name: 'Queue',
    webhookUrl: 'http://127.0.0.1:2/',
    eventNames: ['thread.message.received'],
  });
  await skein.server.stop();
  await database.query(skein.databaseUrl, openCircuit, [stitch.stitchId]);
  await skein.server.start();
}
