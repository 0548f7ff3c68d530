/** A client's end of IngestMessages, which records every answer. */
import { once } from 'node:events';
import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import type { IngestMessagesRequest } from '../../../protocol/gen/skein/internal/v1/IngestMessagesRequest.ts';
import type { IngestMessagesResponse__Output } from '../../../protocol/gen/skein/internal/v1/IngestMessagesResponse.ts';
import { getFailure, type Failure } from './grpc-fixture.ts';

type Call = ClientDuplexStream<IngestMessagesRequest, IngestMessagesResponse__Output>;

export class Sender {
  readonly call: Call;
  readonly answers: IngestMessagesResponse__Output[] = [];
  /** Undefined: the stream ended without an error. */
  readonly ended: Promise<Failure | undefined>;
  #wake: () => void = () => undefined;

  constructor(call: Call) {
    this.call = call;
    call.on('data', (answer: IngestMessagesResponse__Output) => {
      this.answers.push(answer);
      this.#wake();
    });
    this.ended = new Promise(resolve => {
      call.on('error', (error: ServiceError) => resolve(getFailure(error)));
      call.on('end', () => resolve(undefined));
    });
  }

  /** Writes as fast as the node reads. */
  async send(requests: Iterable<IngestMessagesRequest>): Promise<void> {
    for (const request of requests) if (!this.call.write(request)) await once(this.call, 'drain');
  }

  async until(count: number): Promise<void> {
    while (this.answers.length < count) await new Promise<void>(resolve => (this.#wake = resolve));
  }
}
