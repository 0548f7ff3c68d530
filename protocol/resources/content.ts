/**
 * What a message holds beside its text: one shape for each type, told apart by `type`. Channels that know nothing of it show `body`, which
 * says in words what the content holds.
 */
import Type from 'typebox';
import type { Static, TLiteral, TObject, TProperties, TUnsafe } from 'typebox';
import { attachmentKinds } from './attachment.ts';
import { body, choice, freeForm, id, nullable, optional, resource, text } from './fields.ts';

const longText = Type.String();
const maybeText = optional(nullable(Type.String()));

const toTitle = (name: string, suffix: string): string =>
  name.charAt(0).toUpperCase() + name.slice(1) + suffix;

/** One type of content in an answer. */
const content = <const Name extends string, P extends TProperties>(name: Name, properties: P) =>
  resource(toTitle(name, 'Content'), { type: Type.Literal(name), ...properties });

/** The same in a request. */
const given = <const Name extends string, P extends TProperties>(name: Name, properties: P) =>
  body(toTitle(name, 'ContentInput'), { type: Type.Literal(name), ...properties });

/** Told apart by `type`, as generated clients know from the discriminator (OpenAPI 3.1, "Discriminator Object"). */
function union<const Members extends readonly TObject<{ type: TLiteral<string> }>[]>(
  title: string,
  members: Members,
): TUnsafe<Static<Members[number]>> {
  const mapping = members.map(member => {
    const { title: name } = member as { readonly title?: string };
    return [member.properties.type.const, `#/components/schemas/${name}`] as const;
  });
  return Type.Unsafe<Static<Members[number]>>({
    title,
    oneOf: [...members],
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) },
  });
}

/** Which message is meant: by our id, by the provider's, or by both. Of a message that this service does not have only the provider's is known. */
export const MessageReference = resource('MessageReference', {
  messageId: nullable(id('message')),
  externalMessageId: nullable(longText),
  /** The product of the business's catalogue that the message was shown with. */
  product: optional(Type.Object({ catalogId: nullable(longText), productId: longText })),
});
export type MessageReference = Static<typeof MessageReference>;

const location = {
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
};

/** The text is the message's body. */
const textContent = content('text', {
  /** Whether the first address in the text is shown with a preview. */
  preview: optional(Type.Boolean()),
});

/** The file is the message's only attachment. */
const mediaContent = content('media', {
  kind: choice(attachmentKinds),
  caption: nullable(longText),
  /** Recorded by the participant, and not a file. */
  voice: optional(Type.Boolean()),
});

const locationContent = content('location', {
  ...location,
  name: maybeText,
  address: maybeText,
  url: maybeText,
});

const contact = {
  name: longText,
  phones: Type.Array(Type.Object({ phone: longText, type: maybeText })),
  emails: optional(Type.Array(Type.Object({ email: longText, type: maybeText }))),
  organization: maybeText,
};
const contactsContent = content('contacts', { contacts: Type.Array(Type.Object(contact)) });

/** `emoji` null: the reaction was taken back. */
const reactionContent = content('reaction', { emoji: nullable(longText), to: MessageReference });

export const interactiveKinds = ['button', 'list', 'form', 'other'] as const;

/** The answer to buttons, a list or a form. `id` is what the business has given to the choice; `data` is what was filled in. */
const interactiveContent = content('interactive', {
  kind: choice(interactiveKinds),
  id: nullable(longText),
  title: nullable(longText),
  description: maybeText,
  data: optional(freeForm()),
});

const orderContent = content('order', {
  catalogId: nullable(longText),
  text: nullable(longText),
  items: Type.Array(
    Type.Object({
      productId: longText,
      quantity: Type.Number(),
      price: nullable(Type.Number()),
      currency: nullable(longText),
    }),
  ),
});

export const systemEvents = [
  'number_changed',
  'user_id_changed',
  'identity_changed',
  'message_edited',
  'message_deleted',
  'other',
] as const;

/** What the provider reports of the participant. */
const systemContent = content('system', {
  event: choice(systemEvents),
  /** The message that was edited or deleted. */
  about: optional(nullable(MessageReference)),
  /** The new text of a message that was edited. */
  text: maybeText,
});

const templateContent = content('template', {
  name: longText,
  language: longText,
  /** What fills its parameters, as the provider defines it. */
  components: Type.Array(freeForm()),
});

/** Something that the provider cannot pass on, or that this release does not know: `providerType` is the provider's word for it. */
const unsupportedContent = content('unsupported', { providerType: nullable(longText) });

export const MessageContent = union('MessageContent', [
  textContent,
  mediaContent,
  locationContent,
  contactsContent,
  reactionContent,
  interactiveContent,
  orderContent,
  systemContent,
  templateContent,
  unsupportedContent,
]);
export type MessageContent = Static<typeof MessageContent>;

const textInput = given('text', {
  /** Whether the first address in the text is shown with a preview. */
  preview: optional(Type.Boolean({ default: false })),
});

/** The file is the only attachment, of the same kind; `caption` is what is shown below it. */
const mediaInput = given('media', {
  kind: choice(attachmentKinds),
  caption: optional(nullable(text(1, 1_024))),
});

const locationInput = given('location', {
  ...location,
  name: optional(nullable(text(1, 1_024))),
  address: optional(nullable(text(1, 1_024))),
});

const contactsInput = given('contacts', {
  contacts: Type.Array(
    Type.Object(
      {
        name: text(1, 256),
        phones: Type.Array(
          Type.Object(
            { phone: text(1, 64), type: optional(nullable(text(1, 32))) },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: 10 },
        ),
        organization: optional(nullable(text(1, 256))),
      },
      { additionalProperties: false },
    ),
    { minItems: 1, maxItems: 10 },
  ),
});

/** `emoji` null takes a reaction back. */
const reactionInput = given('reaction', { emoji: nullable(text(1, 32)), messageId: id('message') });

export const MessageContentInput = union('MessageContentInput', [
  textInput,
  mediaInput,
  locationInput,
  contactsInput,
  reactionInput,
]);
export type MessageContentInput = Static<typeof MessageContentInput>;

/** The advertisement or post by which the participant came. */
export const Referral = resource('Referral', {
  sourceType: nullable(longText),
  sourceId: nullable(longText),
  sourceUrl: nullable(longText),
  headline: nullable(longText),
  body: nullable(longText),
  /** The provider's id of the click. */
  clickId: nullable(longText),
});
export type Referral = Static<typeof Referral>;

/** Why a message failed. `outcome` is `unknown` where the provider gave no answer: it may have been delivered after all. */
export const MessageError = resource('MessageError', {
  code: optional(nullable(longText)),
  message: optional(nullable(longText)),
  details: optional(Type.Object({ outcome: optional(Type.Literal('unknown')) })),
});
export type MessageError = Static<typeof MessageError>;
