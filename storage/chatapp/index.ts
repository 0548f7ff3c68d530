/** What the chat provider has sent, before anything is made of it. */
export {
  ChatappInbox,
  channelsWithWebhooks,
  type ChatappWebhook,
  failWebhook,
  finishWebhook,
  openWebhooks,
} from './inbox.ts';
