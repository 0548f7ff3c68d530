/** What the left side is made of, in a project and outside of one. */
import { createLink } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import type { AnchorHTMLAttributes, ReactNode } from 'react';
import icon from '../../kit/icon.svg';
import { useTexts } from '../texts/index.ts';
import classes from './nav.module.css';

interface NavFrameProps {
  /** In a drawer, which has a title already. */
  readonly isInDrawer: boolean;
  readonly children: ReactNode;
  /** Items at the lower end. */
  readonly last: ReactNode;
}

export function NavFrame({ isInDrawer, children, last }: NavFrameProps) {
  const texts = useTexts().shell;
  return (
    <nav className={classes['nav']} aria-label={texts.navLabel}>
      {!isInDrawer && (
        <div className={classes['brand']}>
          <img src={icon} alt="" width={20} height={20} />
          {texts.appName}
        </div>
      )}
      {children}
      <ul className={classes['pages']} data-last>
        {last}
      </ul>
    </nav>
  );
}

export function NavGroup({
  label,
  children,
}: {
  readonly label?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    // No region: those of workspaces have names that anybody may give, also that of another group.
    <div role={label === undefined ? undefined : 'group'} aria-label={label}>
      {label !== undefined && (
        <div className={classes['group']}>
          <bdi>{label}</bdi>
        </div>
      )}
      <ul className={classes['pages']}>{children}</ul>
    </div>
  );
}

interface NavAnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly Icon: LucideIcon;
}

/** A page elsewhere, by its address. */
export function NavAnchor({ Icon, children, ...anchor }: NavAnchorProps) {
  return (
    <li>
      <a {...anchor} className={classes['page']}>
        <Icon size={16} strokeWidth={1.7} aria-hidden />
        {children}
      </a>
    </li>
  );
}

/** A page of Studio. */
export const NavLink = createLink(NavAnchor);
