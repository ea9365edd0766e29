"""Everyday names of organisms that neither NCBI's package nor MeSH lists.

The package keeps one common name of each taxon and no acronyms; this list has what is left out
and written often.
"""

from __future__ import annotations

from typing import Final

EVERYDAY_NAMES: Final[dict[int, str]] = {
    4530: "rice; rice plant",
    4577: "corn; maize",
    4565: "wheat; bread wheat",
    4097: "tobacco",
    4232: "sunflower",
    29760: "grapevine",
    161934: "sugar beet",
    3689: "poplar",
    3511: "oak",
    3888: "pea; garden pea",
    3218: "Physcomitrella patens; P. patens",
    33090: "plants",
    318829: "Magnaporthe oryzae; M. oryzae",
    4932: "yeast",
    9823: "pig; pigs; porcine",
    10090: "murine",
    9615: "canine",
    9685: "feline",
    9796: "equine",
    9940: "ovine",
    5820: "malaria parasite",
    5691: "T. brucei",
    10407: "HBV",
    3052230: "HCV",
    12092: "HAV",
    12475: "HDV; hepatitis D virus",
    11723: "SIV",
    11709: "HIV-2",
    10566: "HPV",
    151340: "papillomavirus; papillomaviruses",
    333760: "HPV16; HPV-16; human papillomavirus type 16",
    333761: "HPV18; HPV-18; human papillomavirus type 18",
    114727: "H1N1; influenza A H1N1; influenza A (H1N1)",
    102793: "H5N1; influenza A H5N1; influenza A (H5N1)",
    119210: "H3N2; influenza A H3N2; influenza A (H3N2)",
    333278: "H7N9; influenza A H7N9; influenza A (H7N9)",
    11320: "IAV",
    694009: "SARS-CoV; SARS coronavirus",
    1335626: "MERS-CoV; MERS coronavirus",
    12637: "DENV",
    64320: "ZIKV",
    11082: "WNV",
    11089: "YFV",
    11072: "JEV",
    11084: "TBEV",
    37124: "CHIKV",
    186538: "EBOV",
    138950: "poliovirus; polio virus",
    39054: "EV71; EV-A71; enterovirus 71",
    11250: "hRSV; human RSV; RSV",
    10294: "HSV; herpes simplex virus",
    10298: "HSV-1; HSV1",
    10310: "HSV-2; HSV2",
    10335: "VZV",
    10359: "HCMV; CMV; human cytomegalovirus",
    10366: "MCMV; murine cytomegalovirus",
    37296: "KSHV; HHV-8; HHV8",
    11908: "HTLV-1; HTLV-I; human T-cell leukemia virus type 1",
    272636: "AAV; adeno-associated virus",
    10798: "B19V; parvovirus B19",
    10244: "MPXV; mpox virus",
    1891767: "SV40; simian virus 40",
    1891762: "BKV; BKPyV; BK virus",
    10632: "JCV; JCPyV; JC virus",
    493803: "MCPyV; MCV",
    12242: "TMV",
    10641: "CaMV",
    12305: "CMV-Y; cucumber mosaic virus",
    11276: "VSV; vesicular stomatitis virus",
    12110: "FMDV",
    10497: "ASFV",
    28295: "PEDV",
    11138: "MHV",
    11292: "RABV",
    10710: "phage lambda; bacteriophage lambda; lambda phage",
    10665: "phage T4; bacteriophage T4; T4 phage",
    10760: "phage T7; bacteriophage T7; T7 phage",
    1977402: "phage M13; bacteriophage M13; M13 phage",
}
"""By number; names are separated by semicolons."""


def everyday_names(id: int) -> tuple[str, ...]:
    """The names of one taxon; usually there are none."""
    listed = EVERYDAY_NAMES.get(id, "")
    return tuple(filter(None, listed.split("; ")))
