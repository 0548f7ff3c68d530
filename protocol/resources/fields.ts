/**
 * The field types of resources. Each is plain JSON Schema 2020-12, and OpenAPI contains these objects unchanged. validate.ts checks
 * lengths in code points, as JSON Schema defines them, and formats.
 */
import Type from 'typebox';
import type { Static, TObject, TOptional, TProperties, TSchema, TString, TUnsafe } from 'typebox';
import { maxEmailLength } from '../formats.ts';
import { idPattern, type Resource } from '../ids.ts';

/**
 * An id of that resource. Its static type is plain `string`: that a text matches the pattern does not make it an id of a resource here,
 * so a branded type would promise too much.
 */
export function id(resource: Resource): TString {
  return Type.String({ pattern: idPattern(resource) });
}

/** A date-time, ISO 8601 with an offset: `2026-11-03T12:00:00.000Z`. */
export function instant(): TString {
  return Type.String({ format: 'date-time' });
}

/** Text of `min` to `max` code points. */
export function text(min: number, max: number): TString {
  return Type.String({ minLength: min, maxLength: max });
}

/** An absolute http or https address without userinfo. */
export function httpUrl(): TString {
  return Type.String({ format: 'uri', maxLength: 2048 });
}

/** An e-mail address. */
export function emailAddress(): TString {
  return Type.String({ format: 'email', maxLength: maxEmailLength });
}

/** The second factor of a change to an account, where the user has one: a code of the app or a recovery code, or the answer of a passkey. */
export const secondFactorProof = {
  /** Not validated as a code: one that does not fit is wrong (401). */
  code: Type.Optional(text(1, 32)),
  /** AuthenticationResponseJSON of WebAuthn, for the options of `POST /studio/auth/login/passkey/options` without a challenge. */
  passkey: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
};

/** A password to set: 8 to 256 code points. */
export function newPassword(): TString {
  return text(8, 256);
}

/** One of several words. */
export function choice<const Words extends readonly string[]>(
  words: Words,
  options: { readonly default?: Words[number] } = {},
): TUnsafe<Words[number]> {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });
}

/**
 * The schema or null. A plain type becomes a list of types, which reads better and gives one error instead of one per
 * branch; a named resource needs a union.
 */
export function nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  const plain = schema as {
    readonly type?: unknown;
    readonly enum?: readonly unknown[];
    readonly title?: string;
  };
  if (typeof plain.type !== 'string' || plain.title !== undefined) {
    return Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }] });
  }
  return Type.Unsafe<Static<S> | null>({
    ...schema,
    type: [plain.type, 'null'],
    ...(plain.enum === undefined ? {} : { enum: [...plain.enum, null] }),
  });
}

/** A JSON object of any content; `{}` when absent. */
export function freeForm(): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', default: {} });
}

/** The body of a write: unknown fields are refused (docs/contract-decisions.md, "Statuses and schemas"). */
export function body<P extends TProperties>(title: string, properties: P): TObject<P> {
  return Type.Object(properties, { title, additionalProperties: false });
}

/** A resource in an answer. It is open: fields may be added within /v1. */
export function resource<P extends TProperties>(title: string, properties: P): TObject<P> {
  return Type.Object(properties, { title });
}

/** `archived: false` brings back what DELETE has archived. */
export function restored() {
  return optional(Type.Literal(false));
}

/** May be absent. */
export function optional<S extends TSchema>(schema: S): TOptional<S> {
  return Type.Optional(schema) as TOptional<S>;
}
