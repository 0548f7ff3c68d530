/** Where media is kept, as MEDIA_URL says: `s3://bucket/prefix?pathStyle=true` or `file:///folder`. */
import { fileURLToPath } from 'node:url';

export type MediaLocation =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Precedes every key, with a slash at its end; empty: none. */
      readonly prefix: string;
      /** Whether the bucket is a part of the path, as self-hosted servers want it, and not of the host name. */
      readonly pathStyle: boolean;
    };

const bucketForm = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
// Characters that both S3 and a file system accept, and neither interprets.
const segmentForm = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Undefined for any other text. */
export function parseMediaUrl(text: string): MediaLocation | undefined {
  const url = URL.parse(text);
  if (url === null || url.hash !== '' || url.username !== '' || url.port !== '') return undefined;
  if (url.protocol === 'file:') {
    const plain = url.host === '' && url.search === '' && url.pathname !== '/';
    return plain ? { kind: 'folder', folder: fileURLToPath(url) } : undefined;
  }
  if (url.protocol !== 's3:' || !bucketForm.test(url.host)) return undefined;
  const segments = url.pathname.split('/').filter(segment => segment !== '');
  if (!segments.every(segment => segmentForm.test(segment))) return undefined;
  if (url.search !== '' && url.search !== '?pathStyle=true') return undefined;
  const prefix = segments.map(segment => `${segment}/`).join('');
  return { kind: 's3', bucket: url.host, prefix, pathStyle: url.search !== '' };
}
