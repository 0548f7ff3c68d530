/** A page: where it belongs, its title, what can be done, and its content. */
import { Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useApp } from '../../kit/app-identity.ts';
import { tellFirstPage } from '../../kit/first-page.ts';
import { toVisibleName } from '../../kit/shown-name.ts';
import classes from './page.module.css';

interface PageProps {
  readonly title: string;
  /** Leads back to the list. */
  readonly back?: ReactNode;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title: name, back, about, actions, children }: PageProps) {
  const app = useApp();
  // It may be the name of something.
  const title = toVisibleName(name, '–');
  useEffect(() => {
    document.title = `${title} · ${app.name}`;
  }, [title, app]);
  useEffect(tellFirstPage, []);
  return (
    <div className={classes['page']}>
      {back !== undefined && <div className={classes['back']}>{back}</div>}
      <div className={classes['head']}>
        <div>
          <Title order={1}>
            <bdi>{title}</bdi>
          </Title>
          {about !== undefined && <p className={classes['about']}>{about}</p>}
        </div>
        <div className={classes['actions']}>{actions}</div>
      </div>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, actions, children }: SectionProps) {
  return (
    <section className={classes['section']} aria-label={title}>
      <div className={classes['sectionHead']}>
        <Title order={2}>{title}</Title>
        <div className={classes['actions']}>{actions}</div>
      </div>
      {children}
    </section>
  );
}
