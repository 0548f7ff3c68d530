/** An S3 server for one test file: s3rver in a process of its own, which asks for credentials as the real one does. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { withTimeLimit } from './time-limit.ts';

const program = fileURLToPath(new URL('./s3rver.js', import.meta.url));

export interface S3Options {
  /** It is there from the beginning. Default: none is. */
  readonly bucket?: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server whose objects lie in `folder`. It ends with `stop`, or with this process. */
export async function serveS3(folder: string, options: S3Options): Promise<S3Server> {
  const { bucket, accessKeyId, secretAccessKey } = options;
  const child = fork(program, {
    env: {
      FOLDER: folder,
      ...(bucket !== undefined && { BUCKET: bucket }),
      ACCESS_KEY_ID: accessKeyId,
      SECRET_ACCESS_KEY: secretAccessKey,
    },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const failed = ended.then(() => {
    throw new Error('the S3 server did not start');
  });
  const told = withTimeLimit(Promise.race([once(child, 'message'), failed]), 'address of the S3 server');
  const [{ port }] = (await told) as [{ port: number }];
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

export interface S3Bucket {
  readonly bucket: string;
  /** The SDK's own variables, by which a client finds the server and signs. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts a server with one empty bucket; its objects lie in `folder`. */
export async function startS3(folder: string): Promise<S3Bucket> {
  const user = { accessKeyId: 'skein-test', secretAccessKey: 'secret of the test' };
  const bucket = 'skein-test';
  const { url, stop } = await serveS3(folder, { bucket, ...user });
  return {
    bucket,
    env: {
      AWS_ACCESS_KEY_ID: user.accessKeyId,
      AWS_SECRET_ACCESS_KEY: user.secretAccessKey,
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_S3: url,
    },
    stop,
  };
}
