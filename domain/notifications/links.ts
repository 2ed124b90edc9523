/** Links in what administrators write. Whoever reads one in our mail takes it for ours. */

/** Whether a text holds a link to another host than the bank's own. */
export function hasForeignLink(text: string, publicUrl: string): boolean {
  const own = new URL(publicUrl).host;
  for (const [link] of text.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/[^\s]+|\bwww\.[^\s]+/gi)) {
    const url = link.includes('://') ? link : `https://${link}`;
    if (!URL.canParse(url) || new URL(url).host !== own) return true;
  }
  return false;
}

export const FOREIGN_LINK = 'must not hold links to other places than the bank';
