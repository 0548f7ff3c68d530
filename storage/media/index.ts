/** Files: the rows of attachments, and their bytes on the local disk or in S3. */
export {
  announceFetched,
  claimUpload,
  completeUpload,
  createAttachment,
  dropFetched,
  findAttachments,
  findAttachmentTenant,
  releaseUpload,
  type StoredAttachment,
  type Upload,
} from './attachments.ts';
export { type MediaLocation, parseMediaUrl } from './media-location.ts';
export { DiskFull, Media, NoSuchMedia, WrongSize } from './media.ts';
export { MediaSweeper } from './sweep-media.ts';
