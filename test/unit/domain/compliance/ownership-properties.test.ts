/** Ownership of random companies, against walking every path with exact fractions. */
import { describe, expect, test } from '@jest/globals';
import { ceil, floor, plus, ratioOf, times, whole, type Ratio } from '../../../../domain/pricing/ratio.ts';
import { fc } from '../../../support/property.ts';
import { faultsOf, form, owned, type Link } from './ownership-forms.ts';

/** Three people, and up to five companies of which some are listed; a company owns only those before it. */
const graphs = fc
  .array(
    fc.record({
      isListed: fc.boolean(),
      capital: fc.array(fc.nat({ max: 1_000_000 }), { minLength: 8, maxLength: 8 }),
      votes: fc.array(fc.nat({ max: 1_000_000 }), { minLength: 8, maxLength: 8 }),
      isThere: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((rows) => {
    const names = rows.map(({ isListed }, at) => (at === 0 ? 'self' : `C${at}${isListed ? '*' : ''}`));
    return rows.flatMap(({ capital, votes, isThere }, at): Link[] => {
      // everybody above has an owner, so a1 is always there
      const owners = ['a1', 'a2', 'a3', ...names.slice(at + 1)].filter(
        (_, which) => which === 0 || isThere[which],
      );
      const percents = percentsOf(capital.slice(0, owners.length));
      const voting = percentsOf(votes.slice(0, owners.length));
      return owners.map((owner, which): Link => [
        ...([owner, names[at] ?? '', percents[which] ?? '0', voting[which] ?? '0'] as const),
      ]);
    });
  });

/** Percents with four places, each above 0, which are together 100 or less. */
function percentsOf(weights: readonly number[]): readonly string[] {
  const room = 1_000_000 - weights.length;
  const total = Math.max(
    weights.reduce((sum, weight) => sum + weight, 0),
    room,
  );
  return weights.map((weight) => {
    const parts = 1 + Math.floor((weight * room) / total);
    return `${Math.floor(parts / 10_000)}.${String(parts % 10_000).padStart(4, '0')}`;
  });
}

/** What `owner` has of the company along every path that does not lead through a company for which `stops` is true. */
function walked(
  owner: string,
  links: readonly Link[],
  percentOf: (link: Link) => string,
  stops: (ref: string) => boolean = () => false,
): Ratio {
  if (owner === 'self') return whole(1n);
  return links
    .filter(([from, to]) => from === owner && !stops(to))
    .map((link) => {
      const percent = times(ratioOf(percentOf(link)), { num: 1n, den: 100n });
      return times(percent, walked(link[1], links, percentOf, stops));
    })
    .reduce(plus, whole(0n));
}

const capitalOf = ([, , percent]: Link) => percent;
const votesOf = ([, , percent, votes = percent]: Link) => votes;
const isEnough = ({ num, den }: Ratio) => num * 4n >= den;
const millionths = (share: Ratio) => times(share, whole(100_000_000n));
const shown = (text: string) => BigInt(text.replace('.', ''));
const isListed = (ref: string) => ref.endsWith('*');

describe('ownership', () => {
  test('owners and their shares are those of walking every path', () => {
    fc.assert(
      fc.property(graphs, (links) => {
        const expected = ['a1', 'a2', 'a3']
          .map((ref) => ({
            ref,
            capital: walked(ref, links, capitalOf),
            votes: walked(ref, links, votesOf),
          }))
          .filter(({ capital, votes }) => isEnough(capital) || isEnough(votes))
          .map(({ ref, capital, votes }) => [ref, floor(millionths(capital)), floor(millionths(votes))]);
        const { beneficial_owners: owners, needs_senior_manager } = owned(form(links));
        const found = owners.map((owner) => [
          ...[owner.ref, shown(owner.ownership_percent), shown(owner.voting_percent)],
        ]);
        expect(found.sort()).toEqual(expected.sort());
        expect(needs_senior_manager).toBe(expected.length === 0);
      }),
    );
  });

  test('people, listed companies and what is unexplained are together the whole', () => {
    fc.assert(
      fc.property(graphs, (links) => {
        const owners = new Set(links.map(([owner]) => owner));
        const explained = [...owners]
          .filter((ref) => ref.startsWith('a') || isListed(ref))
          .map((ref) => walked(ref, links, capitalOf, isListed))
          .reduce(plus, whole(0n));
        const rest = { num: explained.den - explained.num, den: explained.den };
        expect(shown(owned(form(links)).unexplained_percent)).toBe(ceil(millionths(rest)));
      }),
    );
  });

  test('two companies that own each other are a circle, whatever else the form says', () => {
    fc.assert(
      fc.property(graphs, fc.nat(), (links, pick) => {
        const companies = [...new Set(links.map(([owner]) => owner))].filter((ref) => ref.startsWith('C'));
        fc.pre(companies.length > 0);
        const company = companies[pick % companies.length] ?? '';
        const circle: Link[] = [
          [company, 'Z', '50'],
          ['Z', company, '0.0001'],
        ];
        const codes = faultsOf(form([...links, ...circle])).map((fault) => fault.split(' ')[0]);
        expect(codes.filter((code) => code === 'ownership_circular')).toHaveLength(1);
      }),
    );
  });
});
