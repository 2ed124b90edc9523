/** Links in what administrators write. Whoever reads one in our mail takes it for ours. */
import LinkifyIt from 'linkify-it';
import tlds from 'tlds' with { type: 'json' };

/** As mail programs find links: with a scheme, and a bare name like `bank.example/login`. An address of email is none. */
const links = new LinkifyIt({}, { fuzzyLink: true, fuzzyEmail: false }).tlds(tlds);

/** Whether a text holds a link to another host than the bank's own. */
export function hasForeignLink(text: string, publicUrl: string): boolean {
  const own = new URL(publicUrl).host;
  // any scheme, known to us or not, may be known to the program that shows the text
  const named = text.match(/\b[a-z][a-z0-9+.-]*:\/\/[^\s]+|\bwww\.[^\s]+/gi) ?? [];
  const found = [...named, ...(links.match(text) ?? []).map(({ url }) => url)];
  return found.some((link) => {
    const url = link.includes('://') ? link : `https://${link}`;
    return !URL.canParse(url) || new URL(url).host !== own;
  });
}

export const FOREIGN_LINK = 'must not hold links to other places than the bank';
