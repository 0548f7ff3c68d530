/** Tells the operator, who looks elsewhere, what has happened: in the title, and if they wish by a notification or a sound. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useApp } from '../../kit/app-identity.ts';
import { toShownName } from '../../kit/shown-name.ts';
import { scheduleByTimer } from '../../kit/schedule-by-timer.ts';
import { useStreamListener } from '../live/stream-context.tsx';
import { toParticipantName } from '../people/participant-name.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import { useTexts } from '../texts/index.ts';
import { isAway, showNotification, showTitle } from './page.ts';
import { readPreferences } from './preferences.ts';
import { playSound } from './sound.ts';
import { Tabs } from './tabs.ts';
import { Watch } from './watch.ts';

export default function Notifier() {
  const { settings, list } = useTexts();
  const { notices: texts } = settings;
  const { participantNames } = list;
  const { name: product } = useApp();
  const client = useClient();
  const navigate = useNavigate();
  const { projectId, environmentId, userId } = useConversing();
  const tabs = useMemo(() => new Tabs({ isAway, now: Date.now, schedule: scheduleByTimer }), []);
  const watch = useMemo(() => {
    const read = () => readPreferences(localStorage, userId);
    const open = (threadId: string): void => {
      const params = { projectId, environmentId, queue: 'all', threadId };
      void navigate({ to: '/$projectId/$environmentId/$queue/$threadId', params, search: {} });
    };
    return new Watch({
      userId,
      environmentId,
      isAway: () => tabs.areAllAway(),
      readPreferences: read,
      getThread: async threadId => client.threads.get(threadId),
      count: conversations => showTitle(product, read().title ? conversations : 0),
      tell(notice, thread) {
        const { desktop, sound, showsText } = read();
        if (sound) playSound();
        if (!desktop) return;
        showNotification({
          title: thread === undefined ? product : toParticipantName(thread, participantNames),
          body: showsText && notice.text !== '' ? toShownName(notice.text) : texts[notice.is],
          tag: notice.threadId,
          onOpened: () => open(notice.threadId),
        });
      },
    });
  }, [client, navigate, projectId, environmentId, userId, texts, participantNames, product, tabs]);
  useStreamListener(watch);
  useEffect(() => {
    showTitle(product, 0);
    // It comes after the page: whoever drives the page can tell from when on nothing is missed.
    document.documentElement.dataset['notifies'] = '';
    tabs.open(new BroadcastChannel(`skein-console:${userId}:${environmentId}`), () => watch.clear());
    const look = (): void => {
      if (!isAway()) watch.clear();
      tabs.look();
    };
    addEventListener('focus', look);
    addEventListener('blur', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      tabs.close();
      removeEventListener('focus', look);
      removeEventListener('blur', look);
      document.removeEventListener('visibilitychange', look);
      showTitle(product, 0);
      delete document.documentElement.dataset['notifies'];
    };
  }, [watch, tabs, product, userId, environmentId]);
  return null;
}
