/** The other process of `ask.ts`: owns a shard on a transport, and answers bare requests beside it. Started with NATS_URL. */
import { connect } from 'nats';
import { Endings } from '../support/endings.ts';
import { natsNode } from '../../test/support/nats-node.ts';
import { bareSubject, reply, shard } from './ask-protocol.ts';
import { encodeReply } from '../../runtime/transport/wire.ts';

const url = process.env['NATS_URL'] ?? '';
const endings = new Endings();
const { transport } = await natsNode(endings, url);
await transport.serve(shard, () => Promise.resolve(reply));
const bare = await connect({ servers: url });
const bytes = Buffer.from(encodeReply(reply));
bare.subscribe(bareSubject, { callback: (_, message) => void message.respond(bytes) });
await bare.flush();

process.once('disconnect', () => {
  void bare
    .close()
    .then(() => endings.end())
    .then(() => process.exit());
});
process.send?.('ready');
