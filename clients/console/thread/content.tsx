/** What a message holds beside its text, by its type. The text itself is shown below it. */
import { ExternalLink } from 'lucide-react';
import { toShownName } from '../../kit/shown-name.ts';
import type { Message, MessageContent } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { toMapHref, toSafeHref } from './links.ts';
import { useFormats } from '../../kit/use-formats.ts';
import classes from './bubble.module.css';

/** Whether the message's body only says in words what its content shows. */
export function replacesBody({ content }: Message): boolean {
  switch (content?.type) {
    case 'location':
    case 'contacts':
    case 'order':
    case 'reaction':
    case 'unsupported':
      return true;
    default:
      return false;
  }
}

export function Content({ content }: { readonly content: MessageContent }) {
  const texts = useTexts().thread;
  switch (content.type) {
    case 'location':
      return <LocationCard content={content} />;
    case 'contacts':
      return <ContactCards contacts={content.contacts} />;
    case 'order':
      return <OrderCard content={content} />;
    case 'interactive':
      return (
        <div className={classes['card']}>
          <span className={classes['meta']}>{texts.content.interactive[content.kind]}</span>
          {content.description != null && <bdi>{content.description}</bdi>}
          {content.data !== undefined && <Fields fields={content.data} />}
        </div>
      );
    case 'system':
      return <span className={classes['meta']}>{texts.content.system[content.event]}</span>;
    case 'template':
      return (
        <span className={classes['meta']}>{texts.content.template(content.name, content.language)}</span>
      );
    case 'reaction':
      return (
        <span>
          {content.emoji === null ? texts.message.reactionRemoved : texts.message.reactedWith(content.emoji)}
        </span>
      );
    case 'unsupported':
      return (
        <span className={classes['meta']}>
          {texts.content.unsupported}
          {content.providerType !== null && ` (${content.providerType})`}
        </span>
      );
    case 'text':
    case 'media':
      return null;
  }
}

function LocationCard({ content }: { readonly content: Extract<MessageContent, { type: 'location' }> }) {
  const texts = useTexts().thread.content;
  const { latitude, longitude, name, address } = content;
  return (
    <div className={classes['card']}>
      <b>
        <bdi>{toShownName(name ?? texts.location)}</bdi>
      </b>
      {address != null && <bdi>{address}</bdi>}
      <span className={classes['meta']}>
        {latitude.toFixed(5)}, {longitude.toFixed(5)}
      </span>
      <a href={toMapHref(latitude, longitude)} target="_blank" rel="noopener noreferrer">
        {texts.openMap} <ExternalLink size={12} aria-hidden />
      </a>
    </div>
  );
}

type Contacts = Extract<MessageContent, { type: 'contacts' }>['contacts'];

function ContactCards({ contacts }: { readonly contacts: Contacts }) {
  const texts = useTexts().thread.content;
  return contacts.map((contact, index) => (
    <div key={index} className={classes['card']}>
      <span className={classes['meta']}>{texts.contact}</span>
      <b>
        <bdi>{toShownName(contact.name)}</bdi>
      </b>
      {contact.organization != null && <bdi>{contact.organization}</bdi>}
      {contact.phones.map(({ phone }, at) => (
        <SafeLink key={at} href={`tel:${phone.replace(/[^\d+]/g, '')}`} text={phone} />
      ))}
      {contact.emails?.map(({ email }, at) => (
        <SafeLink key={at} href={`mailto:${encodeURIComponent(email)}`} text={email} />
      ))}
    </div>
  ));
}

function SafeLink({ href, text }: { readonly href: string; readonly text: string }) {
  const safe = toSafeHref(href);
  if (safe === undefined) return <bdi>{text}</bdi>;
  return (
    <a href={safe} rel="noopener noreferrer">
      <bdi>{text}</bdi>
    </a>
  );
}

function OrderCard({ content }: { readonly content: Extract<MessageContent, { type: 'order' }> }) {
  const texts = useTexts().thread.content;
  const formats = useFormats();
  return (
    <div className={classes['card']}>
      <b>{texts.order}</b>
      {content.items.map(({ productId, quantity, price, currency }, index) => (
        <span key={index} className="tabular">
          {texts.quantity(formats.number(quantity))} <bdi>{productId}</bdi>
          {price !== null && ` ${formats.number(price)} ${currency ?? ''}`}
        </span>
      ))}
      {content.text !== null && <bdi>{content.text}</bdi>}
    </div>
  );
}

/** Names and values, as somebody has filled them in. */
export function Fields({ fields }: { readonly fields: Readonly<Record<string, unknown>> }) {
  return Object.entries(fields).map(([name, value]) => (
    <span key={name} className={classes['meta']}>
      <bdi>{name}</bdi>: <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
    </span>
  ));
}
