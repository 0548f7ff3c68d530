/** Services that come ready-made (health, reflection), let in through the gate like our own. */
import type {
  handleUnaryCall,
  Server,
  ServerDuplexStream,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Gate } from './gate.ts';

type Unary = handleUnaryCall<unknown, unknown>;
type Stream = ServerDuplexStream<unknown, unknown>;

/** What such a service is to be added to. @param authenticated false: open to all. */
export function foreign(server: Server, gate: Gate, authenticated: boolean): Pick<Server, 'addService'> {
  return {
    addService(definition, implementation): void {
      const methods: UntypedServiceImplementation = {};
      for (const [name, { path, responseStream, originalName }] of Object.entries(definition)) {
        const method = implementation[name] ?? implementation[originalName ?? name];
        if (method === undefined) continue;
        methods[name] = responseStream
          ? gate.streaming<Stream>(path, authenticated, ({ call }) =>
              (method as (call: Stream) => void)(call),
            )
          : guarded(gate, path, authenticated, method as Unary);
      }
      server.addService(definition, methods);
    },
  };
}

function guarded(gate: Gate, path: string, authenticated: boolean, method: Unary): Unary {
  if (!authenticated) return method;
  return (call, callback) => {
    const refusal = gate.refusalOf(call, path);
    if (refusal === undefined) method(call, callback);
    else callback(refusal);
  };
}
