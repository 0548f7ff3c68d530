/** What the gRPC server proves itself by, and what it asks of its clients' connections. */
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import type { GrpcTls } from '../config.ts';

/** @param tls undefined: plaintext. Rejects with a message for people when the files cannot be used. */
export async function serverCredentials(tls: GrpcTls | undefined): Promise<ServerCredentials> {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const [cert, key, ca] = await Promise.all([
    pem('GRPC_TLS_CERT', tls.cert),
    pem('GRPC_TLS_KEY', tls.key),
    tls.ca === undefined ? null : pem('GRPC_TLS_CA', tls.ca),
  ]);
  try {
    // The library would find out only when it binds, and take it for a matter of the port.
    createSecureContext({ cert, key, ...(ca === null ? {} : { ca }) });
  } catch (cause) {
    throw new Error('GRPC_TLS_CERT and GRPC_TLS_KEY are not a certificate and its key', { cause });
  }
  return ServerCredentials.createSsl(ca, [{ cert_chain: cert, private_key: key }], ca !== null);
}

async function pem(variable: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`the file that ${variable} names cannot be read: ${file}`, { cause });
  }
}
