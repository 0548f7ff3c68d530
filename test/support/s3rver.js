/** s3rver with a user and a bucket of the test's: by itself it knows one user alone, whose name and secret are in its code. Started by s3.ts. */
import S3rver from 's3rver';
import accounts from 's3rver/lib/models/account.js';

const { FOLDER, BUCKET, ACCESS_KEY_ID, SECRET_ACCESS_KEY } = process.env;

accounts.DUMMY_ACCOUNT.revokeAccessKey('S3RVER');
accounts.DUMMY_ACCOUNT.createKeyPair(ACCESS_KEY_ID, SECRET_ACCESS_KEY);

const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  directory: FOLDER,
  silent: true,
  configureBuckets: BUCKET === undefined ? [] : [{ name: BUCKET }],
});
const { port } = await server.run();
process.send({ port });
// Its parent has ended, or told it to.
process.once('disconnect', () => process.exit());
