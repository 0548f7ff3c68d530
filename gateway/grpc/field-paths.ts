/**
 * Fields of a request as `google.rpc.BadRequest` names them: by the names of the message, `attachments[0].mime_type`. Issues name them as
 * REST does, `/body/attachments/0/mimeType`. What lies within JSON text has the names of the JSON: `content_json.caption`.
 */

/** The fields of the schemas that messages carry as JSON text. */
const jsonText = new Set(['metadata', 'content', 'participant']);
/** Has a message of its own in REST, and is one field here. */
const replyTo = 'reply_to';

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

/** @param path of an issue: the part of the request, and a JSON pointer into it (RFC 6901) */
export function toFieldPath(path: string): string {
  const steps = path.split('/').slice(2);
  let field = '';
  let isInJson = false;
  for (const step of steps) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(name)) {
      field += `[${name}]`;
    } else if (field === replyTo) {
      field = `${field}_${toSnakeCase(name)}`;
    } else {
      const isText: boolean = !isInJson && jsonText.has(name);
      const own = isInJson ? name : toSnakeCase(name);
      field += `${field === '' ? '' : '.'}${isText ? `${own}_json` : own}`;
      isInJson ||= isText || name.endsWith('Json');
    }
  }
  return field === replyTo ? `${replyTo}_message_id` : field;
}
