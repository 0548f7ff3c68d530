import t from 'tap';
import { toFieldPath } from '../../../gateway/grpc/field-paths.ts';

t.test('fields are named as the message has them, whatever part of a request an issue is about', async t => {
  for (const [path, field] of [
    ['/request/projectId', 'project_id'],
    ['/path/threadId', 'thread_id'],
    ['/body/body', 'body'],
    ['/body/externalParticipantRef', 'external_participant_ref'],
    ['/body/attachments/2/mimeType', 'attachments[2].mime_type'],
    ['/body/attachments/0/metadata/orderId', 'attachments[0].metadata_json.orderId'],
    ['/request/metadataJson', 'metadata_json'],
    ['/request/attachments/1/metadataJson', 'attachments[1].metadata_json'],
    ['/request/metadataJson/aB/0', 'metadata_json.aB[0]'],
    ['/body/content/caption', 'content_json.caption'],
    ['/body/content/contacts/0/phones/1/phone', 'content_json.contacts[0].phones[1].phone'],
    ['/body/participant/displayName', 'participant_json.displayName'],
    ['/body/replyTo/messageId', 'reply_to_message_id'],
    ['/body/replyTo', 'reply_to_message_id'],
    ['/body/metadata/a~1b', 'metadata_json.a/b'],
    ['/body', ''],
  ] as const) {
    t.equal(toFieldPath(path), field, path);
  }
});
