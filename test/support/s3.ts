/** An S3 server for one test file: s3rver in a process of its own, which asks for credentials as the real one does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../node_modules/s3rver/bin/s3rver.js', import.meta.url));

/** What s3rver knows its only user by. */
const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export interface S3Server {
  readonly bucket: string;
  /** The SDK's own variables, by which a client finds the server and signs. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts a server with one empty bucket; its objects lie in `folder`. */
export async function startS3(folder: string): Promise<S3Server> {
  const bucket = 'skein-test';
  const child = spawn(
    process.execPath,
    [program, '-d', folder, '-a', '127.0.0.1', '-p', '0', '--configure-bucket', bucket],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /listening on .*:(\d+)/i.exec(line)?.[1];
    if (port === undefined) continue;
    // What it says from now on is of no concern, but must not fill its pipe.
    child.stdout.resume();
    return {
      bucket,
      env: { ...credentials, AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` },
      stop: async () => {
        child.kill();
        await ended;
      },
    };
  }
  throw new Error('the S3 server did not start');
}
