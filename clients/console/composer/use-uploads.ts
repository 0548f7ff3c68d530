/** The files that are attached to what is being written. Each is sent as soon as it is chosen; the message waits for them. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { AttachmentInput } from '../../sdk/index.ts';
import { createRandomKey, useClient } from '../thread/conversations-context.tsx';
import { describeError } from '../thread/use-action.ts';

export interface Upload {
  readonly id: string;
  readonly file: File;
  readonly state: 'uploading' | 'ready' | 'failed';
  /** 0 to 1. */
  readonly progress: number;
  readonly attachmentId?: string;
  readonly problem?: string;
}

function toKind(mimeType: string): AttachmentInput['kind'] {
  const family = mimeType.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

export function toAttachment({ file, attachmentId }: Upload): AttachmentInput {
  return { kind: toKind(file.type), attachmentId, filename: file.name };
}

export function useUploads() {
  const client = useClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const aborts = useRef(new Map<string, AbortController>());

  const change = useCallback((id: string, update: Partial<Upload>): void => {
    setUploads(now => now.map(each => (each.id === id ? { ...each, ...update } : each)));
  }, []);

  const start = useCallback(
    (id: string, file: File): void => {
      const abort = new AbortController();
      aborts.current.set(id, abort);
      const onProgress = (sent: number, total: number): void =>
        change(id, { progress: total === 0 ? 0 : sent / total });
      // Each attempt has a key of its own: the address that the last one was given may have ended.
      const idempotencyKey = createRandomKey();
      client.attachments.upload(file, { signal: abort.signal, onProgress, idempotencyKey }).then(
        attachmentId => change(id, { state: 'ready', progress: 1, attachmentId }),
        (error: unknown) => change(id, { state: 'failed', problem: describeError(error) }),
      );
    },
    [client, change],
  );

  const add = useCallback(
    (files: Iterable<File>): void => {
      for (const file of files) {
        const id = createRandomKey();
        setUploads(now => [...now, { id, file, state: 'uploading', progress: 0 }]);
        start(id, file);
      }
    },
    [start],
  );

  /** One that has failed. */
  const retry = useCallback(
    ({ id, file }: Upload): void => {
      change(id, { state: 'uploading', progress: 0 });
      start(id, file);
    },
    [change, start],
  );

  const remove = useCallback((id: string): void => {
    aborts.current.get(id)?.abort();
    setUploads(now => now.filter(each => each.id !== id));
  }, []);

  const clear = useCallback((): void => setUploads([]), []);

  useEffect(() => {
    const current = aborts.current;
    return () => current.forEach(abort => abort.abort());
  }, []);

  return { uploads, add, retry, remove, clear };
}
