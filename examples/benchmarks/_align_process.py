"""One aligner as a process of its own, which ``bench_alignment.py`` starts and times.

    python _align_process.py SYSTEM SOURCE TARGET LINKS

reads two files of sentences and writes the links of both directions, or those of both
joined. It loads nothing but the aligner that it is asked for.
"""

import sys


def eflomal(source, target, out):
    from eflomal import Aligner

    with open(source, encoding="utf-8") as src, open(target, encoding="utf-8") as trg:
        Aligner().align(
            src, trg, links_filename_fwd=out, links_filename_rev=f"{out}.reverse"
        )


def fast_align(source, target, out):
    pairs = list(zip(sentences(source), sentences(target), strict=True))
    write(out, fast_align_links(pairs))
    swapped = [(target, source) for source, target in pairs]
    write(f"{out}.reverse", fast_align_links(swapped))


def fast_align_links(pairs):
    """Best links of one direction, by thot, with the iterations of sil-machine."""
    from thot.alignment import FastAlignModel

    model = FastAlignModel()
    model.variational_bayes = True
    for source, target in pairs:
        model.add_sentence_pair(source, target, 1)
    model.start_training()
    for _ in range(4):
        model.train()
    model.end_training()
    for source, target in pairs:
        rows, columns = model.get_best_alignment(source, target)[1].to_numpy().nonzero()
        yield zip(rows.tolist(), columns.tolist(), strict=True)


def sentences(path):
    with open(path, encoding="utf-8") as file:
        return [line.split() for line in file]


def write(path, links):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(" ".join(f"{i}-{j}" for i, j in pair) + "\n" for pair in links)


def crf_autoencoder(*paths):
    from skstruct.estimators import CRFAutoencoderAligner

    ours(CRFAutoencoderAligner(random_state=0), *paths)


def hmm(*paths):
    from skstruct.estimators import HMMAligner

    ours(HMMAligner(), *paths)


def ours(model, source, target, out):
    from skstruct.datasets import read_bitext, write_links

    write_links(model.fit(read_bitext(source, target)).links_, out)


SYSTEMS = {
    "CRF-AE": crf_autoencoder,
    "HMM": hmm,
    "eflomal": eflomal,
    "fast_align": fast_align,
}

if __name__ == "__main__":
    SYSTEMS[sys.argv[1]](*sys.argv[2:])
