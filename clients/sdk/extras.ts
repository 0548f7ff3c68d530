/** Methods of resources that are not one operation of the contract each. */
import type { Call, CallOptions } from './call.ts';
import type { CreateMessageBody, MessageDryRun } from './generated/types.ts';
import type { UploadOptions } from './uploads.ts';

export interface MessageExtras {
  /**
   * Whether the message would be allowed now, without creating it: the dry run of `create`.
   * API keys need `messages:write`.
   * @throws {ApiError} as `create` does for what is malformed or not found
   */
  check(threadId: string, body?: CreateMessageBody, options?: CallOptions): Call<MessageDryRun>;
}

export interface AttachmentExtras {
  /**
   * Announces a file and sends its bytes. Name the id in a message's `attachments`, within a day.
   * API keys need `messages:write`.
   *
   *     const attachmentId = await skein.attachments.upload(await openAsBlob('hours.txt'), { filename: 'hours.txt' });
   *
   * @param file 1 byte to 100 MiB; a Blob of a file is read as it is sent
   * @returns the id of the attachment
   * @throws {ApiError} `svc/runtime/conflict` where the environment may not have more
   */
  upload(file: Blob | Uint8Array<ArrayBuffer>, options?: UploadOptions): Promise<string>;
}
