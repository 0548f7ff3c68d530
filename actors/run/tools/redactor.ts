/** Takes secrets out of what a tool or a model has answered: the answer may repeat what was sent. */

const redacted = '[redacted]';
/** A shorter text is no secret, and would be found everywhere. */
const shortest = 6;

/** All forms in which a header's value tells its secret: as a whole, without its scheme, decoded, in an address, in JSON. */
function getSecretForms(value: string): string[] {
  const [scheme = '', credentials] = value.trim().split(/\s+(.*)/s);
  const forms = [value.trim()];
  if (credentials !== undefined) forms.push(credentials);
  if (credentials !== undefined && /^basic$/i.test(scheme)) {
    const decoded = Buffer.from(credentials, 'base64').toString('utf8');
    forms.push(decoded, decoded.slice(decoded.indexOf(':') + 1));
  }
  return forms.flatMap(form => {
    const inJson = JSON.stringify(form).slice(1, -1);
    return [form, encodeURIComponent(form.toWellFormed()), inJson, inJson.replaceAll('/', '\\/')];
  });
}

export class Redactor {
  /** The longest first, because one may be a part of another. */
  readonly #secrets: readonly string[];

  constructor(values: readonly string[]) {
    const forms = new Set(values.flatMap(getSecretForms).filter(form => form.length >= shortest));
    this.#secrets = [...forms].sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    let rest = text;
    for (const secret of this.#secrets) rest = rest.replaceAll(secret, redacted);
    return rest;
  }

  /** Redacts texts, numbers and field names in a JSON value, which is not nested deeper than the database allows. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.text(String(value)) === String(value) ? value : redacted;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(item => this.value(item));
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [this.text(key), this.value(member)]),
    );
  }
}
