// Where the pages of concepts are. A link is followed only when a person clicks it; the page itself
// asks nobody but its own service.

const PAGES = {
  MESH: "https://meshb.nlm.nih.gov/record/ui?ui=",
  NCBIGene: "https://www.ncbi.nlm.nih.gov/gene/",
  NCBITaxon: "https://www.ncbi.nlm.nih.gov/taxonomy/",
  HGNC: "https://www.genenames.org/data/gene-symbol-report/#!/hgnc_id/HGNC:",
  MGI: "https://www.informatics.jax.org/accession/MGI:",
  dbSNP: "https://www.ncbi.nlm.nih.gov/snp/",
  CVCL: "https://www.cellosaurus.org/CVCL_",
  UMLS: "https://uts.nlm.nih.gov/uts/umls/concept/",
  SNOMEDCT: "https://browser.ihtsdotools.org/?perspective=full&conceptId1=",
  OMIM: "https://omim.org/entry/",
};
const OBO = ["CHEBI", "CL", "DOID", "GO", "HP", "MONDO", "NCIT", "PR", "SO", "UBERON", "EFO"];

/** The address of a CURIE's page. */
export function addressOf(curie) {
  const at = curie.indexOf(":");
  if (at < 1) return null;
  const [prefix, local] = [curie.slice(0, at), curie.slice(at + 1)];
  if (PAGES[prefix]) return PAGES[prefix] + encodeURIComponent(local);
  if (OBO.includes(prefix)) return `https://purl.obolibrary.org/obo/${prefix}_${encodeURIComponent(local)}`;
  return `https://bioregistry.io/${encodeURIComponent(prefix)}:${encodeURIComponent(local)}`;
}
